'use strict';
// Filters, sorts and copies. The page says everything without it.
for (const paragraph of document.querySelectorAll('.filter')) {
  const input = paragraph.querySelector('input'), hits = paragraph.querySelector('.hits');
  const scroll = paragraph.nextElementSibling;
  const rows = [...scroll.querySelectorAll('tbody tr')];
  paragraph.hidden = false;
  input.addEventListener('input', () => {
    const words = input.value.toLowerCase().split(/\s+/).filter(Boolean);
    let shown = 0;
    for (const row of rows) {
      const text = row.textContent.toLowerCase();
      row.hidden = !words.every(word => text.includes(word));
      if (!row.hidden) ++shown;
    }
    hits.textContent = words.length ? shown + ' of ' + rows.length : '';
  });
}
for (const table of document.querySelectorAll('table.sortable')) {
  const body = table.tBodies[0];
  const original = [...body.rows];
  [...table.tHead.rows[0].cells].forEach((head, column) => {
    const button = document.createElement('button');
    button.type = 'button';
    button.className = 'sort';
    button.append(...head.childNodes);
    head.append(button);
    button.addEventListener('click', () => {
      const before = head.getAttribute('aria-sort');
      const next = before === 'ascending' ? 'descending' : before === 'descending' ? null : 'ascending';
      for (const other of table.tHead.rows[0].cells) other.removeAttribute('aria-sort');
      const rows = [...original];
      if (next) {
        head.setAttribute('aria-sort', next);
        const sign = next === 'ascending' ? 1 : -1;
        const key = row => {
          const cell = row.cells[column];
          return cell.dataset.sort !== undefined ? Number(cell.dataset.sort) : cell.textContent.trim();
        };
        rows.sort((a, b) => {
          const x = key(a), y = key(b);
          if (x === '–' || y === '–') return (x === '–') - (y === '–');
          if (typeof x === 'number' && typeof y === 'number') return sign * (x - y);
          return sign * String(x).localeCompare(String(y), undefined, {numeric: true});
        });
      }
      body.append(...rows);
    });
  });
}
for (const button of document.querySelectorAll('button.copy')) {
  if (!navigator.clipboard) continue;
  button.hidden = false;
  button.addEventListener('click', () => {
    navigator.clipboard.writeText(button.previousElementSibling.textContent).then(() => {
      button.textContent = 'Copied';
      setTimeout(() => { button.textContent = 'Copy'; }, 1500);
    });
  });
}

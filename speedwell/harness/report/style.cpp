#include "speedwell/harness/report/sections.hpp"

namespace speedwell::harness::report {

// Colours --c0 … --c5 stand for gnuplot.hpp's palette; the dark page has lighter shades of the same hues, so that each
// keeps a contrast of at least 3:1 with its background.
std::string style_sheet() {
  return R"css(
:root{color-scheme:light dark;--page:#fff;--card:#f7f8fa;--text:#1b1f24;--soft:#57606a;--line:#d0d7de;--grid:#d4d8dd;
--accent:#0b5cad;--good:#1a6b45;--bad:#a62b00;--badback:#fff1ea;
--c0:#0072b2;--c1:#d55e00;--c2:#00845f;--c3:#b0578a;--c4:#b07800;--c5:#2f8fc4}
@media (prefers-color-scheme:dark){:root{--page:#12161b;--card:#1b2129;--text:#e6e9ed;--soft:#a3adb8;--line:#3a434e;
--grid:#39424d;--accent:#7cb9f2;--good:#6fd3a4;--bad:#ff9d70;--badback:#331d14;
--c0:#4ba6de;--c1:#f0853e;--c2:#35c79c;--c3:#e09cc2;--c4:#e8ac3c;--c5:#8bcdf2}}
*{box-sizing:border-box}
html{-webkit-text-size-adjust:100%}
body{margin:0;background:var(--page);color:var(--text);font:1rem/1.5 system-ui,-apple-system,"Segoe UI",sans-serif}
main,header,footer,nav{max-width:78rem;margin:0 auto;padding:0 1.25rem}
header{padding-top:1.5rem}
h1{font-size:1.9rem;line-height:1.2;margin:0 0 .4rem}
h2{font-size:1.4rem;margin:2.6rem 0 .6rem;padding-top:.6rem;border-top:2px solid var(--line)}
h3{font-size:1.1rem;margin:1.4rem 0 .4rem}
h4{font-size:.98rem;margin:0 0 .5rem}
h1,h2,h3,h4,p,li,td,th,summary,dd,figcaption{overflow-wrap:anywhere}
p{margin:.5rem 0;max-width:62rem}
.lead{font-size:1.15rem}
a{color:var(--accent)}
code{font:.92em ui-monospace,"DejaVu Sans Mono",Menlo,Consolas,monospace}
small,.note,figcaption,caption{color:var(--soft);font-size:.86rem}
small{display:block;line-height:1.35}
nav ul{list-style:none;display:flex;flex-wrap:wrap;gap:.3rem 1.1rem;padding:0;margin:.8rem 0}
.tiles{display:flex;flex-wrap:wrap;gap:.7rem;padding:0;margin:1rem 0;list-style:none}
.tiles li{background:var(--card);border:1px solid var(--line);border-radius:.5rem;padding:.5rem .9rem;min-width:7.5rem}
.tiles b{display:block;font-size:1.5rem;line-height:1.2}
.tiles .alarm{border:2px solid var(--bad);background:var(--badback)}
.alarm b{color:var(--bad)}
.scroll{overflow-x:auto;margin:.7rem 0}
table{border-collapse:collapse;font-size:.87rem;width:100%;font-variant-numeric:tabular-nums}
caption{text-align:left;padding-bottom:.3rem}
th,td{text-align:left;vertical-align:top;padding:.36rem .5rem;border-bottom:1px solid var(--line)}
thead th{overflow-wrap:normal;vertical-align:bottom;border-bottom:2px solid var(--line);font-size:.84rem;line-height:1.25}
td{min-width:4.6rem}
tbody th{font-weight:600;min-width:8rem}
tbody th small{font-weight:400}
td.n{white-space:nowrap}
td.none{color:var(--soft)}
td.none small{min-width:8rem}
td.wide{min-width:12rem}
.ok{color:var(--good);font-weight:600}
.bad{color:var(--bad);font-weight:700}
.failures{border:2px solid var(--bad);background:var(--badback);border-radius:.6rem;padding:.2rem 1rem .6rem;margin-top:1.4rem}
.failures h2{border:0;margin-top:.6rem;color:var(--bad)}
details{margin:.6rem 0}
summary{cursor:pointer;padding:.25rem 0}
details.family{border:1px solid var(--line);border-radius:.6rem;padding:.2rem 1rem;margin:.8rem 0}
details.family>summary{font-weight:600}
details.family>summary span{font-weight:400;color:var(--soft)}
.plots{display:grid;grid-template-columns:repeat(auto-fill,minmax(min(100%,29rem),1fr));gap:1rem;margin:1rem 0;align-items:start}
figure{margin:0;background:var(--card);border:1px solid var(--line);border-radius:.6rem;padding:.8rem .9rem;min-width:0}
figure.whole{grid-column:1/-1}
figure svg{display:block;width:100%;height:auto;max-width:42rem;color:var(--text);
font-family:system-ui,-apple-system,"Segoe UI",sans-serif}
figcaption{margin-top:.4rem}
dl{display:grid;grid-template-columns:minmax(8rem,max-content) 1fr;gap:.25rem 1.2rem;margin:.6rem 0;font-size:.93rem}
dt{color:var(--soft)}
dd{margin:0;min-width:0}
dl.words dt{color:var(--text);font-weight:600}
footer{margin-top:3rem;padding-top:1rem;padding-bottom:2rem;color:var(--soft);font-size:.86rem}
@media (max-width:44rem){
html{font-size:15px}
main,header,footer,nav{padding-left:.8rem;padding-right:.8rem}
details.family{padding:.2rem .6rem}
figure{padding:.6rem .5rem}
dl{grid-template-columns:1fr;gap:0}
dd{margin-bottom:.5rem}
table.cards thead{display:none}
table.cards,table.cards tbody,table.cards tr,table.cards td,table.cards th{display:block;width:auto;min-width:0}
table.cards tr{border:1px solid var(--line);border-radius:.5rem;padding:.4rem .6rem;margin:0 0 .7rem;background:var(--card)}
table.cards td,table.cards th{border:0;padding:.16rem 0;white-space:normal}
table.cards td{display:flow-root;padding-left:8.8rem}
table.cards td::before{content:attr(data-label);float:left;width:8.2rem;margin-left:-8.8rem;color:var(--soft);
font-size:.84rem;font-weight:400;line-height:1.35}
}
@media print{
:root{--page:#fff;--card:#fff;--text:#000;--soft:#444;--line:#bbb;--grid:#ddd;--accent:#000;--good:#000;--bad:#000;
--badback:#fff;--c0:#0072b2;--c1:#d55e00;--c2:#00845f;--c3:#b0578a;--c4:#b07800;--c5:#2f8fc4}
@page{size:A4 landscape;margin:12mm}
html{font-size:8pt}
main,header,footer,nav{max-width:none;padding:0}
nav{display:none}
h2{margin-top:1.6rem}
h1,h2,h3,h4,summary{break-after:avoid;break-inside:avoid}
section.application{break-before:page}
figure,tr,.tiles li{break-inside:avoid}
thead{display:table-header-group}
.scroll{overflow:visible}
.plots{grid-template-columns:repeat(2,1fr);gap:.6rem}
details::details-content{content-visibility:visible;display:block;height:auto}
details>summary{list-style:none}
}
)css";
}

}  // namespace speedwell::harness::report

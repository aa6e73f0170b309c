// The sentences that explain the page to who sees one for the first time.
#include "speedwell/harness/report/sections.hpp"

namespace speedwell::harness::report {

std::string guide_section() {
  return R"html(<section id="guide"><h2>How to read this</h2>
<ul>
<li>Every figure comes from a run whose result was checked against an independent oracle. A run that failed its check is
shown as FAILED and enters no speedup.</li>
<li><b>Execute</b> is the computation alone, with its data already in place. <b>End to end</b> is what a single call costs:
construction, allocation, copies to and from the GPU, and the first, cold execute. Both matter: the first for data that stays on
the device, the second for who computes once.</li>
<li>A <b>speedup</b> is a ratio of median times, and names both devices. 2× means half the time.</li>
<li><b>Of limit</b> is the least time in which this machine could do the work, by its measured ceilings, over the time
that it took. 100 % leaves nothing to gain. A limit that was beaten by more than 2 % did not bound the work and is not
shown, nor is one of a ceiling that was not stable; the reason appears when you point at the dash.</li>
<li>Times are medians of the medians of passes, with a 95 % confidence interval from those medians in brackets. The interval of a speedup pairs the
worst and the best ends of the two times' intervals: it holds whenever both of those hold, and is rather too wide than
too narrow. Below 6 passes no interval exists; the number of passes stands in its place.</li>
<li>An en dash (–) is a figure that does not exist; the reason is beside it, or appears when you point at it.</li>
</ul></section>
)html";
}

std::string glossary_section() {
  return R"html(<section id="glossary"><h2>Words</h2>
<dl class="words">
<dt>application</dt><dd>one kind of computation, such as a matrix-vector product</dd>
<dt>problem</dt><dd>an application with all its parameters: sizes, precision, seed</dd>
<dt>variant</dt><dd>one way to solve a problem on one device</dd>
<dt>library</dt><dd>a variant that calls somebody else's library, for comparison</dd>
<dt>ladder</dt><dd>variants in the order in which each adds one idea to the one before; a gain below 1 is a step back</dd>
<dt>one core, all cores</dt><dd>one thread on one processor core; a thread on every core of the processor</dd>
<dt>rate</dt><dd>work per second of execute: GB/s are 10⁹ bytes of the least possible traffic, Gop/s 10⁹ operations,
GCUPS 10⁹ cell updates</dd>
<dt>ceiling</dt><dd>the most that the machine was measured to do of one thing: bandwidth, arithmetic, link, latency</dd>
<dt>limit</dt><dd>the least time for the work: the larger of bytes over bandwidth and operations over rate</dd>
<dt>memory, cache, link, arithmetic</dt><dd>which ceiling sets the limit</dd>
<dt>roofline</dt><dd>rate against operations per byte: left of the bend memory is the limit, right of it arithmetic</dd>
<dt>fits a cache</dt><dd>the data is less than four times the device's last cache, so it may not have come from memory</dd>
<dt>throttled</dt><dd>the device lowered its clock for heat or power while it ran</dd>
<dt>skipped</dt><dd>not run, for the reason given: not built, no device, or the variant cannot do this problem</dd>
</dl></section>
)html";
}

}  // namespace speedwell::harness::report

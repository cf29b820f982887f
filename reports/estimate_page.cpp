#include "reports/estimate_page.h"

#include <algorithm>
#include <functional>

#include "reports/figures.h"
#include "reports/page.h"

namespace reports {
namespace {

using Kernels = std::vector<const EstimatedKernel*>;

double ratioOf(double part, double whole) { return whole > 0 ? part / whole : 0; }
double requestedRatio(const EstimatedKernel& kernel) {
  return ratioOf(static_cast<double>(kernel.requestedBytes), static_cast<double>(kernel.memoryBytes));
}
double slowness(const EstimatedKernel& kernel) { return ratioOf(kernel.microseconds, kernel.memoryMicroseconds); }

void writeTable(Markup& page, const Kernels& kernels) {
  page.open("div", {{"class", "scroll"}, {"tabindex", "0"}}).open("table", {{"class", "views"}});
  page.open("thead").open("tr");
  for (const char* name :
       {"program", "kernel", "launches", "estimated µs", "bound by", "of memory alone, µs", "bytes",
        "requested / needed", "flops", "occupancy", "registers", "spilled", "line with most of the bound"})
    page.element("th", {{"scope", "col"}}, name);
  page.close().close().open("tbody");
  for (const EstimatedKernel* kernel : kernels) {
    page.open("tr").element("th", {{"scope", "row"}}, kernel->program).element("td", {}, kernel->name);
    const auto number = [&](const std::string& text) { page.element("td", {{"class", "number"}}, text); };
    number(grouped(kernel->launches));
    number(fixed(kernel->microseconds, 3));
    page.element("td", {}, kernel->bound);
    number(fixed(kernel->memoryMicroseconds, 3));
    number(grouped(kernel->memoryBytes));
    number(fixed(requestedRatio(*kernel), 2));
    number(grouped(kernel->flops));
    number(percent(kernel->occupancy));
    number(grouped(kernel->registers));
    number(grouped(kernel->spilledBytes));
    page.open("td").text(percent(kernel->lineShare) + ": ").element("code", {}, kernel->line).close();
    page.close();
  }
  page.close().close().close();
}

// Those with the largest figures, the largest first; of equal ones in their order.
Kernels largest(const EstimatePage& page, size_t most, const std::function<double(const EstimatedKernel&)>& figure) {
  Kernels kernels;
  for (const EstimatedKernel& kernel : page.kernels) kernels.push_back(&kernel);
  std::stable_sort(kernels.begin(), kernels.end(),
                   [&](const EstimatedKernel* a, const EstimatedKernel* b) { return figure(*a) > figure(*b); });
  kernels.resize(std::min(most, kernels.size()));
  return kernels;
}

void writeSection(Markup& page, const std::string& id, const std::string& title, const std::string& sentence,
                  const Kernels& kernels) {
  openFold(page, id, title, sentence);
  writeTable(page, kernels);
  closeFold(page);
}

void writeHead(Markup& html, const EstimatePage& page) {
  double microseconds = 0;
  for (const EstimatedKernel& kernel : page.kernels) microseconds += kernel.microseconds;
  html.element("h1", {}, "What a GPU would do");
  html.element("p", {},
               "Estimates for the device " + page.device + ", of " + plural(page.programs, "program", "programs") +
                   " and " + plural(static_cast<int64_t>(page.kernels.size()), "kernel", "kernels") + ": " +
                   fixed(microseconds, 1) + " µs in all. No GPU ran.");
  html.element(
      "p", {{"class", "note"}},
      "A kernel's time is that of the busiest part of the device at its peak rate: memory, issue of instructions, "
      "units of f32, f64 and special functions, shuffles, shared memory, or units of matrices. Rates: " +
          page.source +
          ". Instructions are counted on the PTX that NVRTC makes, bytes on the interpreter; registers are those "
          "of NVRTC's assembler. Left out: latency, launches, caches, and that a division of integers or in f64 and an "
          "atomic take many cycles.");
}

}  // namespace

std::string toHtml(const EstimatePage& page) {
  constexpr size_t kHeaviest = 30, kWorst = 15;
  Markup html("<!DOCTYPE html>\n");
  openPage(html, "What a GPU would do, estimated");
  writeHead(html, page);
  writeSection(html, "heaviest", "Heaviest kernels", "By estimated time.",
               largest(page, kHeaviest, [](const EstimatedKernel& each) { return each.microseconds; }));
  writeSection(html, "slow", "Far from the memory's time",
               "Estimated time, divided by the time of memory alone: where it is above 1, another part of the device "
               "is the limit.",
               largest(page, kWorst, slowness));
  writeSection(html, "requested", "Most requests for a byte",
               "Bytes that instructions ask for, divided by bytes that the launches need.",
               largest(page, kWorst, requestedRatio));
  writeSection(html, "occupancy", "Least occupancy",
               "The share of a multiprocessor's warps that its blocks at once have.",
               largest(page, kWorst, [](const EstimatedKernel& each) { return -each.occupancy; }));
  writeSection(html, "all", "All kernels", "In the order of the programs.",
               largest(page, page.kernels.size(), [](const EstimatedKernel&) { return 0; }));
  openFold(html, "left-out", "Left out",
           plural(static_cast<int64_t>(page.leftOut.size()), "program", "programs") + " without an estimate.");
  html.open("ul");
  for (const std::string& each : page.leftOut) html.element("li", {}, each);
  html.close();
  closeFold(html);
  closePage(html);
  return html.release();
}

}  // namespace reports

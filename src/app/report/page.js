"use strict";
// Draws what is in the data: one section for each kind of content, one plot at a time. Numbers come from the data alone.
// The body's attributes say what became of it: data-plots (drawn), data-painted (with ink on them), data-error.
const page = document.getElementById("page");
const plots = [];
window.addEventListener("error", (event) => { document.body.dataset.error = event.message; });

const colours = { blue: "#0072b2", orange: "#d55e00", green: "#009e73", yellow: "#e69f00", violet: "#aa4499", sky: "#56b4e9", grey: "#7a8593" };
const kinds = [
  ["linear", "linear: products", colours.blue], ["switch", "linear: key switches", colours.sky],
  ["activation", "activation", colours.orange], ["bootstrap", "bootstrap", colours.violet], ["other", "other", colours.grey]];
const alpha = (colour, share) => colour + Math.round(share * 255).toString(16).padStart(2, "0");

const make = (tag, text, className) => {
  const element = document.createElement(tag);
  if (text !== undefined) element.textContent = text;
  if (className) element.className = className;
  return element;
};
const section = (title, note) => {
  page.append(make("h2", title));
  if (note) page.append(make("p", note, "note"));
  const grid = make("div", undefined, "plots");
  page.append(grid);
  return grid;
};
const time = (s) => s === null || s === undefined ? "–"
  : s === 0 ? "0" : s < 1e-3 ? (s * 1e6).toPrecision(3) + " µs" : s < 1 ? (s * 1e3).toPrecision(3) + " ms" : s.toPrecision(3) + " s";
const bytes = (b) => {
  if (b === null || b === undefined) return "–";
  let unit = 0;
  for (; b >= 1024 && unit < 4; ++unit) b /= 1024;
  return (b >= 100 || unit === 0 ? Math.round(b) : b.toPrecision(3)) + " " + ["B", "KiB", "MiB", "GiB", "TiB"][unit];
};
// Never with an exponent.
const percent = (share) => (100 * share).toLocaleString("en", { maximumSignificantDigits: 3, useGrouping: false }) + " %";
const decimal = (b) => {
  let unit = 0;
  for (; b >= 1000 && unit < 4; ++unit) b /= 1000;
  return Number(b.toPrecision(3)) + " " + ["B", "kB", "MB", "GB", "TB"][unit];
};
const facts = (list) => {
  const box = make("div", undefined, "facts");
  for (const [name, value] of list) {
    if (value === undefined || value === null) continue;
    const fact = make("div", undefined, "fact");
    fact.append(make("b", String(value)), make("span", name));
    box.append(fact);
  }
  page.append(box);
};
// Rows of cells; a cell is text, or [text, the number behind it]. The first row in `best` is marked.
const table = (id, heading, rows, best) => {
  const scroll = make("div", undefined, "scroll"), element = make("table"), head = make("tr");
  element.id = id;
  heading.forEach((name, column) => head.append(make("th", name, rows.length > 0 && rows[0][column] instanceof Node ? "cells" : "")));
  element.append(head);
  rows.forEach((cells, index) => {
    const row = make("tr", undefined, index === best ? "best" : "");
    for (const cell of cells) {
      const data = make("td", undefined);
      if (cell instanceof Node) { data.append(cell); data.className = "cells"; }
      else if (Array.isArray(cell)) { data.textContent = cell[0]; data.dataset.value = cell[1]; }
      else data.textContent = cell;
      row.append(data);
    }
    element.append(row);
  });
  scroll.append(element);
  page.append(scroll);
};

const plot = (grid, id, title, note, config, wide) => {
  const figure = make("figure", undefined, wide ? "plot wide" : "plot"), holder = make("div", undefined, "canvas");
  figure.append(make("figcaption", title), make("small", note));
  const canvas = make("canvas");
  canvas.id = id;
  holder.append(canvas);
  if (config.height) holder.style.height = config.height + "px";
  figure.append(holder);
  grid.append(figure);
  config.options = Object.assign({ responsive: true, maintainAspectRatio: false, animation: false }, config.options);
  plots.push(new Chart(canvas, config));
};
const axis = (title, format, extra) => Object.assign(
  { title: { display: true, text: title, color: "#5b6675" }, grid: { color: "#e8ecf1" }, ticks: { callback: (value) => format(Number(value)), maxTicksLimit: 9 } }, extra);
const decades = (value) => { const d = Math.log10(value); return Math.abs(d - Math.round(d)) < 1e-9; };
const logarithmic = (title, format) => axis(title, format, {
  type: "logarithmic", ticks: { callback: (value) => decades(value) ? format(Number(value)) : "", autoSkip: false } });
const tip = (format) => ({ callbacks: { label: (item) => item.dataset.label + ": " + format(item.raw && item.raw.y !== undefined ? item.raw.y : item.parsed.y) } });
const line = (label, data, colour, dashed) => ({
  label, data, borderColor: colour, backgroundColor: colour, borderWidth: 2, pointRadius: dashed ? 0 : 3, borderDash: dashed ? [5, 4] : [] });
const legend = { position: "bottom", labels: { boxWidth: 18, boxHeight: 2, padding: 14 } };
const blocks = { position: "bottom", labels: { boxWidth: 12, boxHeight: 12, padding: 14 } };

// Extents of every stage, where tiles change between them.
function candidateName(candidate, dims) {
  const stages = [];
  for (let i = 0; i < candidate.extents.length; i += dims) stages.push(candidate.extents.slice(i, i + dims).join(" × "));
  return stages.filter((stage, i) => stage !== stages[i - 1]).join(" → ");
}

function drawPlan(plan, id) {
  const bound = plan.latency_bound ? ", at most " + time(plan.latency_bound) + " of latency" : "";
  const memory = plan.memory_bound ? ", at most " + bytes(plan.memory_bound) : "";
  const grid = section("Plan: " + plan.computation,
    `Best ${plan.objective}${bound}${memory}: ${plan.priced} candidates priced (${plan.exhaustive ? "all there are" : "local search"}) in ${time(plan.seconds)}, ${plan.feasible} within the bounds.`);
  if (plan.best.length === 0) { page.append(make("p", "No packing keeps the bounds.", "note")); return; }
  plot(grid, id + "-plot", "The ten best", "latency of a batch against time an item; the first is the choice", {
    type: "scatter",
    data: { datasets: [
      { label: "the choice", data: [{ x: plan.best[0].latency, y: plan.best[0].amortised }], backgroundColor: colours.orange, pointRadius: 7, pointStyle: "rectRot" },
      { label: "others", data: plan.best.slice(1).map((c) => ({ x: c.latency, y: c.amortised })), backgroundColor: alpha(colours.blue, 0.7), pointRadius: 5 }] },
    options: { scales: { x: axis("latency", time), y: axis("time an item", time) },
      plugins: { legend: blocks, tooltip: { callbacks: { label: (item) => {
        const c = item.datasetIndex === 0 ? plan.best[0] : plan.best[item.dataIndex + 1];
        return candidateName(c, plan.dims.length) + ": " + time(c.latency) + ", " + time(c.amortised) + " an item, " + bytes(c.memory); } } } } } }, true);
  table(id, ["tile (" + plan.dims.join(" × ") + ")", "bits at once", "change", "batches", "latency", "an item", "memory"], plan.best.map((c) => [
    candidateName(c, plan.dims.length), String(c.hoist), c.change, String(c.batches), [time(c.latency), c.latency], [time(c.amortised), c.amortised], [bytes(c.memory), c.memory]]), 0);
}

function drawPacking(bench) {
  facts([["ring degree", "2^" + bench.log_n], ["log QP", bench.log_qp.toFixed(1)],
    ["security", bench.security_bits ? bench.security_bits + " bits" : "INSECURE, for tests"], ["evaluation keys", bytes(bench.key_bytes)],
    ["clock", bench.clock_ghz.toFixed(2) + " GHz"], ["load average", bench.load_average.toFixed(2)]]);
  const ways = [["published", colours.orange, "as published"], ["full depth", colours.green, "at the full depth"], ["ours", colours.blue, "ours"]];
  const of = (way) => bench.sweep.filter((p) => p.way === way);
  const labels = of("published").map((p) => p.alpha);
  const sweep = (measured, predicted) => ways.flatMap(([way, colour, name]) => [
    line(name, of(way).map((p) => p[measured]), colour, false)].concat(
    predicted ? [line(name + ", predicted", of(way).map((p) => p[predicted]), alpha(colour, 0.55), true)] : []));
  const options = (title, format, log) => ({
    scales: { x: { title: { display: true, text: "α: 2^α pairs a batch", color: "#5b6675" }, grid: { display: false } }, y: log ? logarithmic(title, format) : axis(title, format, { beginAtZero: true }) },
    plugins: { legend, tooltip: tip(format) }, interaction: { mode: "index", intersect: false } });
  const grid = section("Packing and time",
    "Inner products of 2^α pairs of 32 numbers in tiles of 2^α rows. “As published” relinearises every product and sums every place of a tile at the full depth; “at the full depth” shares relinearisations and sums only places that hold values; “ours” does so at the level that the computation needs.");
  plot(grid, "sweep-latency", "Latency", "seconds until a batch is done", { type: "line", data: { labels, datasets: sweep("latency", "predicted_latency") }, options: options("latency", time, true) });
  plot(grid, "sweep-amortised", "Amortised latency", "seconds an item", { type: "line", data: { labels, datasets: sweep("amortised", null) }, options: options("time an item", time, true) });
  plot(grid, "sweep-memory", "Memory of the tensors", "inputs and products of a batch", { type: "line", data: { labels, datasets: sweep("tensor_bytes", null) }, options: options("memory", decimal, true) });
  plot(grid, "sweep-process", "Memory of the process", "its largest resident set, keys included", { type: "line", data: { labels, datasets: sweep("process_bytes", "predicted_process_bytes") }, options: options("memory", decimal, false) });
  const heading = ["computation", "way", "tile", "level", "batches", "tiles", "products", "rotations", "latency", "predicted", "an item", "tensors", "process", "predicted"];
  const row = (p) => [p.computation, p.way, p.extents.join(" × "), String(p.level), String(p.batches), String(p.tiles), String(p.products), String(p.rotations),
    [time(p.latency), p.latency], [time(p.predicted_latency), p.predicted_latency], [time(p.amortised), p.amortised], [bytes(p.tensor_bytes), p.tensor_bytes],
    [bytes(p.process_bytes), p.process_bytes], [bytes(p.predicted_process_bytes), p.predicted_process_bytes]];
  table("sweep", heading, bench.sweep.map(row));
  section("Experiments", "10,000 inputs against one weight vector, 10,000 pairs of vectors, and the product of four matrices.");
  table("experiments", heading, bench.experiments.map(row));
  const chain = bench.experiments.find((p) => p.experiment === "3" && p.way === "published");
  if (chain) {
    section("Shapes along the chain", "Four matrices, from their encryption to the product.");
    const list = make("ol", undefined, "shapes");
    for (const shape of chain.shapes) list.append(make("li", shape));
    page.append(list);
  }
  bench.plans.forEach((plan, index) => drawPlan(plan, "plan" + index));
}

function drawMerkle(bench) {
  const power = (n) => "2^" + Math.round(Math.log2(n));
  facts([["hash", bench.hash], ["instruction set", bench.instruction_set], ["threads", bench.threads], ["clock", bench.clock_ghz.toFixed(2) + " GHz"],
    ["load average", bench.load_average.toFixed(2)], ["builds of each tree", bench.repeats]]);
  const shades = [colours.blue, colours.green, colours.violet, colours.sky], publishedShades = [colours.orange, colours.yellow, colours.grey];
  const devices = [...new Set(bench.trees.map((t) => t.device + ": " + t.name))];
  const machines = [...new Set(bench.published.map((t) => t.device))];
  const ofDevice = (device) => bench.trees.filter((t) => t.device + ": " + t.name === device);
  const unique = (list) => [...new Set(list)].sort((a, b) => a - b);
  const best = (list) => list.reduce((a, b) => (a === undefined || b.kernel_seconds < a.kernel_seconds ? b : a), undefined);
  const leaves = unique(bench.trees.concat(bench.published).map((t) => t.leaves)), groups = unique(bench.trees.map((t) => t.group));
  const drawn = (label, data, colour, approach, published) => Object.assign(line(label, data, colour, published), {
    borderDash: published ? [5, 4] : [], pointRadius: 4, pointStyle: approach === 1 ? "circle" : "rectRot", borderWidth: approach === 1 ? 2 : 1.5, spanGaps: true });
  // One line for each device and approach: the fastest work-group at each number of leaves.
  const byLeaves = (value) => [1, 2].flatMap((approach) => devices.map((device, index) =>
    drawn(`${device}, approach ${approach}`, leaves.map((n) => {
      const tree = best(ofDevice(device).filter((t) => t.approach === approach && t.leaves === n));
      return tree ? value(tree) : null;
    }), shades[index % shades.length], approach, false)).concat(machines.map((machine, index) =>
    drawn(`${machine}, approach ${approach}, published`, leaves.map((n) => {
      const tree = bench.published.find((t) => t.device === machine && t.approach === approach && t.leaves === n);
      return tree ? value(tree) : null;
    }), publishedShades[index % publishedShades.length], approach, true)))).filter((set) => set.data.some((v) => v !== null));
  const across = (title, names, y) => ({ scales: { x: { title: { display: true, text: title, color: "#5b6675" }, grid: { display: false } }, y },
    plugins: { legend: { position: "bottom", labels: { usePointStyle: true, padding: 12 } }, tooltip: tip(time) } });
  const grid = section("Trees", "Approach 1 starts a kernel for every level; in approach 2 a work-group goes on to the levels above. Kernel times; of approach 2 the fastest work-group. The published kernels read a quarter of the leaves.");
  plot(grid, "leaves", "Time of a tree", "by the number of leaves", { type: "line", height: 420,
    data: { labels: leaves.map(power), datasets: byLeaves((t) => t.kernel_seconds) }, options: across("leaves", leaves, logarithmic("time", time)) }, true);
  plot(grid, "hashes", "Time a hash", "the time of a tree divided by its inner nodes", { type: "line", height: 420,
    data: { labels: leaves.map(power), datasets: byLeaves((t) => t.kernel_seconds / (t.leaves - 1)) }, options: across("leaves", leaves, logarithmic("time", time)) }, true);
  const most = (device) => Math.max(...ofDevice(device).map((t) => t.leaves));
  plot(grid, "groups", "Work-group sizes", "the largest trees of each device; approach 1 on the processor has no work-groups", { type: "line",
    data: { labels: groups.map(String), datasets: [1, 2].flatMap((approach) => devices.map((device, index) => drawn(
      `${device}, ${power(most(device))} leaves, approach ${approach}`, groups.map((group) => {
        const trees = ofDevice(device).filter((t) => t.approach === approach && t.leaves === most(device));
        const tree = trees.length === 1 ? trees[0] : trees.find((t) => t.group === group);
        return tree ? tree.kernel_seconds / (tree.leaves - 1) : null;
      }), shades[index % shades.length], approach, false))) },
    options: across("work-group size B", groups, axis("time a hash", time, { beginAtZero: true })) });
  const largest = Math.max(...bench.trees.map((t) => t.leaves));
  const rounds = (approach, group) => bench.trees.find((t) => t.approach === approach && t.leaves === largest && (approach === 1 || t.group === group));
  const count = (label, data, colour) => ({ label, data, backgroundColor: alpha(colour, 0.85) });
  plot(grid, "rounds", "Rounds", `kernel starts for ${power(largest)} leaves`, { type: "bar",
    data: { labels: groups.map(String), datasets: [
      count("approach 1", groups.map((g) => (rounds(1, g) || {}).rounds), colours.grey),
      count("approach 2, by the published formula", groups.map((g) => (rounds(2, g) || {}).published_rounds), colours.orange),
      count("approach 2, ours", groups.map((g) => (rounds(2, g) || {}).rounds), colours.blue)] },
    options: { scales: { x: { title: { display: true, text: "work-group size B", color: "#5b6675" }, grid: { display: false } }, y: axis("rounds", String, { beginAtZero: true, ticks: { precision: 0 } }) },
      plugins: { legend: blocks } } });
  if (bench.operations.length > 0) {
    section("Operations", "One thread.");
    table("operations", ["operation", "median", "10 %", "90 %"], bench.operations.map((o) => [o.operation, [time(o.seconds), o.seconds], [time(o.seconds_10), o.seconds_10], [time(o.seconds_90), o.seconds_90]]));
  }
  section("All trees", "Time of the whole run, with leaves and nodes moved to and from the device, and of the kernels alone.");
  table("trees", ["device", "approach", "leaves", "B", "rounds", "by the formula", "time", "kernels", "a hash"], bench.trees.map((t) => [
    t.device + ": " + t.name, String(t.approach), power(t.leaves), String(t.group), String(t.rounds), t.published_rounds === undefined ? "–" : String(t.published_rounds),
    [time(t.seconds), t.seconds], [time(t.kernel_seconds), t.kernel_seconds], time(t.kernel_seconds / (t.leaves - 1))]));
  section("Published", "Work-groups of 32, kernel times.");
  table("published", ["device", "approach", "leaves", "kernels", "a hash"], bench.published.map((t) => [
    t.device, String(t.approach), power(t.leaves), [time(t.kernel_seconds), t.kernel_seconds], time(t.kernel_seconds / (t.leaves - 1))]));
}

function drawCkks(bench) {
  facts([["instruction set", bench.instruction_set], ["clock", bench.clock_ghz.toFixed(2) + " GHz"], ["load average", bench.load_average.toFixed(2)]]);
  const names = bench.results.map((r) => r.operation + ", " + r.parameters);
  const height = Math.max(240, 110 + 24 * names.length);
  const grid = section("Operations", "Median of each operation; its traffic is operands, keys and results, each once; its bound is the larger of what its transforms and multiply-accumulates would take out of the nearest caches and what its traffic takes to read from memory.");
  plot(grid, "times", "Time", "median, and the bound where there is one", { type: "bar", height,
    data: { labels: names, datasets: [
      { label: "median", data: bench.results.map((r) => r.seconds), backgroundColor: alpha(colours.blue, 0.85) },
      { label: "bound", data: bench.results.map((r) => Math.max(r.arithmetic_bound_seconds, r.memory_bound_seconds) || null), backgroundColor: alpha(colours.orange, 0.7) }] },
    options: { indexAxis: "y", scales: { x: logarithmic("time", time), y: { grid: { display: false }, ticks: { autoSkip: false } } },
      plugins: { legend: blocks, tooltip: { callbacks: { label: (item) => item.dataset.label + ": " + time(item.parsed.x) } } } } }, true);
  plot(grid, "traffic", "Traffic", "bytes a second, were each operand read once", { type: "bar", height,
    data: { labels: names, datasets: [{ label: "traffic", data: bench.results.map((r) => r.traffic_bytes / r.seconds), backgroundColor: alpha(colours.green, 0.85) }] },
    options: { indexAxis: "y", scales: { x: axis("bytes a second", decimal), y: { grid: { display: false }, ticks: { autoSkip: false } } },
      plugins: { legend: { display: false }, tooltip: { callbacks: { label: (item) => decimal(item.parsed.x) + " a second" } } } } }, true);
  table("ckks", ["operation", "parameters", "threads", "median", "10 %", "90 %", "traffic"], bench.results.map((r) => [
    r.operation, r.parameters, String(r.threads), [time(r.seconds), r.seconds], [time(r.seconds_10), r.seconds_10], [time(r.seconds_90), r.seconds_90], [bytes(r.traffic_bytes), r.traffic_bytes]]));
}

function kindOf(instruction) {
  if (instruction.operation === "linear") return "linear";
  if (instruction.operation === "polynomial") return "activation";
  if (instruction.operation === "bootstrap") return "bootstrap";
  return "other";
}

// Seconds by kind: measured ones, where there are, shared out between products and key switches as predicted.
function split(instruction, measured) {
  const seconds = measured ? instruction.seconds_measured : instruction.seconds;
  const kind = kindOf(instruction);
  if (kind !== "linear" || !instruction.seconds) return { [kind]: seconds };
  const share = Math.min(1, instruction.key_switch_seconds / instruction.seconds);
  return { linear: seconds * (1 - share), switch: seconds * share };
}

function drawModel(model) {
  const steps = model.instructions.filter((i) => i.operation !== "input" && i.operation !== "output");
  const measured = steps.length > 0 && steps.every((i) => i.seconds_measured !== undefined);
  facts([["scheme", model.scheme.toUpperCase()], ["security", model.security_bits ? model.security_bits + " bits" : "INSECURE, for tests"],
    ["ring degree", "2^" + model.log_n], ["levels", model.levels], ["rotations", model.rotations],
    [`estimated, ${model.estimate.threads} threads`, time(model.estimate.seconds)], ["measured time", measured ? time(model.seconds.evaluate) : null], ["estimated memory", bytes(model.estimate.memory_bytes)],
    ["peak memory", model.peak_memory_bytes ? bytes(model.peak_memory_bytes) : null],
    ["agreement", model.agreement === undefined ? null : (100 * model.agreement).toFixed(1) + " %"]]);
  const names = steps.map((i) => i.node || i.operation);
  const grid = section("Where the time goes", measured ? "Measured, mean of the inputs." : `As the cost reading predicts it for ${model.estimate.machine}.`);
  let clock = 0;
  const bars = Object.fromEntries(kinds.map(([kind]) => [kind, []]));
  for (const step of steps) {
    const seconds = measured ? step.seconds_measured : step.seconds;
    bars[kindOf(step)].push({ x: [clock, clock + seconds], y: "level " + step.level, name: step.node || step.operation });
    clock += seconds;
  }
  const levels = [...new Set(steps.map((i) => i.level))].sort((a, b) => b - a).map((l) => "level " + l);
  const used = kinds.filter(([kind]) => bars[kind].length > 0);
  plot(grid, "timeline", "Operators by level", "each bar is an operator, from its begin to its end", {
    type: "bar", height: Math.max(180, 90 + 30 * levels.length),
    data: { labels: levels, datasets: used.map(([kind, label, colour]) => ({
      label: kind === "linear" ? "linear" : label, data: bars[kind], backgroundColor: alpha(colour, 0.85), borderWidth: 1, borderColor: "#fff", grouped: false, barPercentage: 0.9, minBarLength: 2 })) },
    options: { indexAxis: "y", scales: { x: axis("time", time, { min: 0 }), y: { grid: { display: false } } },
      plugins: { legend: blocks, tooltip: { callbacks: { label: (item) => item.raw.name + ": " + time(item.raw.x[1] - item.raw.x[0]) } } } } }, true);
  const shares = steps.map((step) => split(step, measured));
  const layers = kinds.filter(([kind]) => shares.some((s) => s[kind] > 0));
  plot(grid, "layers", "Time by layer", "what the time of each operator is spent on", {
    type: "bar", height: Math.max(240, 110 + 24 * names.length),
    data: { labels: names, datasets: layers.map(([kind, label, colour]) => ({ label, data: shares.map((s) => s[kind] || 0), backgroundColor: alpha(colour, 0.85) })) },
    options: { indexAxis: "y", scales: { x: axis("time", time, { stacked: true }), y: { stacked: true, grid: { display: false }, ticks: { autoSkip: false } } },
      plugins: { legend: blocks, tooltip: { callbacks: { label: (item) => item.dataset.label + ": " + time(item.parsed.x) } } } } }, !measured);
  if (measured) plot(grid, "prediction", "Plan and measurement", "the cost reading beside the run", {
    type: "bar", height: Math.max(240, 110 + 24 * names.length),
    data: { labels: names, datasets: [
      { label: "predicted", data: steps.map((i) => i.seconds), backgroundColor: alpha(colours.grey, 0.6) },
      { label: "measured", data: steps.map((i) => i.seconds_measured), backgroundColor: alpha(colours.blue, 0.85) }] },
    options: { indexAxis: "y", scales: { x: axis("time", time), y: { grid: { display: false }, ticks: { autoSkip: false } } },
      plugins: { legend: blocks, tooltip: { callbacks: { label: (item) => item.dataset.label + ": " + time(item.parsed.x) } } } } });
  plot(grid, "levels", "Levels and scales along the program", "a product or a map takes one level; the scale stays near its own", {
    type: "line",
    data: { labels: model.instructions.map((i) => i.node || i.operation), datasets: [
      Object.assign(line("level", model.instructions.map((i) => i.level), colours.blue, false), { stepped: true, yAxisID: "y" }),
      Object.assign(line("log2 of the scale", model.instructions.map((i) => i.log_scale), colours.orange, true), { yAxisID: "y2" })] },
    options: { scales: { x: { grid: { display: false }, ticks: { maxRotation: 60 } }, y: axis("level", String, { position: "left", beginAtZero: true, ticks: { precision: 0 } }),
      y2: axis("bits of the scale", (v) => v.toFixed(v % 1 ? 1 : 0), { position: "right", grid: { display: false }, suggestedMin: 0 }) }, plugins: { legend } } }, true);
  table("operators", ["operator", "operation", "level", "scale, bits", "ciphertexts", "diagonals", "rotations", "predicted", "measured"], model.instructions.map((i) => [
    i.node || i.operation, i.operation, String(i.level), i.log_scale.toFixed(2), String(i.ciphertexts), String(i.diagonals), String(i.rotations),
    [time(i.seconds), i.seconds], i.seconds_measured === undefined ? "–" : [time(i.seconds_measured), i.seconds_measured]]));
  section("Who holds what", "How the ciphertexts of every value are laid out over the mesh. One process holds them all; its threads share them out.");
  table("mesh", ["value", "shape", "mesh", "ciphertexts"], model.instructions.map((i) => {
    const shape = (i.layout.match(/^\[([^\]]*)\]/) || ["", ""])[1].replaceAll(",", " × ");
    const digits = (i.layout.match(/across\(([^)]*)\)/) || ["", ""])[1].split(" ").filter((d) => d);
    const mesh = digits.map((d) => { const m = d.match(/^(copy|d\d+):(\d+)(?:\/\d+)?(?:@(\w+))?/); return m ? `${m[3] || m[1]}: ${m[2]}` : d; }).join(", ");
    const cells = make("div", undefined, "mesh");
    const shown = Math.min(i.ciphertexts, 96);
    for (let c = 0; c < shown; ++c) cells.append(make("i"));
    if (i.ciphertexts > shown) cells.append(make("em", `+ ${i.ciphertexts - shown}`));
    return [i.node || i.operation, shape, mesh || "one", cells];
  }));
}

// A network on integers: one ciphertext an element, sums and table look-ups.
function drawIntegers(model) {
  const steps = model.instructions.filter((i) => ["linear", "lookup", "round"].includes(i.operation));
  const measured = steps.length > 0 && steps.every((i) => i.seconds_measured !== undefined);
  facts([["scheme", model.scheme.toUpperCase()], ["security", model.security_bits ? model.security_bits + " bits" : "INSECURE, for tests"],
    ["table look-ups", model.lookups], ["bits of a table", model.bits],
    ["a look-up fails with", "2^" + model.log2_failure], ["an input with", model.log2_failure_of_run === null ? null : "2^" + model.log2_failure_of_run.toFixed(1)],
    [`estimated, ${model.estimate.threads} threads`, time(model.estimate.seconds)], ["measured time", measured ? time(model.seconds.evaluate) : null],
    ["keys", bytes(model.estimate.key_bytes)], ["peak memory", model.peak_memory_bytes ? bytes(model.peak_memory_bytes) : null],
    ["agreement", model.agreement === undefined ? null : (100 * model.agreement).toFixed(1) + " %"]]);
  const names = steps.map((i) => `${i.operation} ${i.node}`), height = Math.max(200, 110 + 24 * names.length);
  const grid = section("Where the time goes", measured ? "Measured, mean of the inputs, beside the plan." : `As planned for ${model.estimate.machine}.`);
  const planned = { label: "planned", data: steps.map((i) => i.seconds), backgroundColor: alpha(measured ? colours.grey : colours.blue, measured ? 0.6 : 0.85) };
  plot(grid, "layers", "Time by layer", "sums, and look-ups of all elements", {
    type: "bar", height,
    data: { labels: names, datasets: measured ? [planned, { label: "measured", data: steps.map((i) => i.seconds_measured), backgroundColor: alpha(colours.blue, 0.85) }] : [planned] },
    options: { indexAxis: "y", scales: { x: axis("time", time), y: { grid: { display: false }, ticks: { autoSkip: false } } },
      plugins: { legend: blocks, tooltip: { callbacks: { label: (item) => item.dataset.label + ": " + time(item.parsed.x) } } } } }, true);
  plot(grid, "noise", "Noise and integers", "bits of a value, and of the noise that its weights leave in it", {
    type: "line",
    data: { labels: names, datasets: [
      Object.assign(line("bits of the integers", steps.map((i) => i.bits), colours.blue, false), { stepped: true, yAxisID: "y" }),
      Object.assign(line("2-norm of the weights", steps.map((i) => i.norm2), colours.orange, true), { yAxisID: "y2" })] },
    options: { scales: { x: { grid: { display: false }, ticks: { maxRotation: 60 } }, y: axis("bits", String, { position: "left", beginAtZero: true, ticks: { precision: 0 } }),
      y2: axis("2-norm", (v) => v.toFixed(v % 1 ? 1 : 0), { position: "right", grid: { display: false }, suggestedMin: 0 }) }, plugins: { legend } } }, true);
  table("operators", ["operator", "operation", "elements", "bits", "tables", "2-norm", "planned", "measured"], model.instructions.map((i) => [
    i.node || i.operation, i.operation + (i.rounded ? ", rounded" : ""), String(i.ciphertexts), String(i.bits), i.tables ? String(i.tables) : "–", i.norm2.toPrecision(3),
    [time(i.seconds), i.seconds], i.seconds_measured === undefined ? "–" : [time(i.seconds_measured), i.seconds_measured]]));
}

// An operator that refreshes the same node's value, or looks closer at it, is told by what it does.
function stepName(step, steps) {
  const same = steps.filter((s) => s.node === step.node).length > 1;
  return same ? `${step.node} (${step.operators.split(" ")[0]})` : step.node;
}

function drawValidation(validation) {
  const steps = validation.operators, names = steps.map((s) => stepName(s, steps)), failed = steps.find((s) => s.failed);
  facts([["operators compared", validation.validated], ["failed", steps.filter((s) => s.failed).length],
    ["first failure", failed ? `${failed.node}[${failed.index}]` : null], ["encrypted run", time(validation.seconds.run - validation.seconds.validate)],
    ["validation", time(validation.seconds.validate)], ["decrypted numbers at once", bytes(validation.peak_buffer_bytes)]]);
  const grid = section("Error along the network", validation.end_to_end
    ? "Each operator against a run in the clear from the inputs on: errors of earlier operators are carried on."
    : "Each operator against the exact operator on its decrypted operands: errors of its own alone.");
  const small = (error) => Math.max(error, 1e-18);
  const power = (value) => "10" + String(Math.round(Math.log10(value))).replace(/./g, (c) => c === "-" ? "⁻" : "⁰¹²³⁴⁵⁶⁷⁸⁹"[c]);
  plot(grid, "errors", "Worst and mean error", "in the units compared; failures are larger", {
    type: "line",
    data: { labels: names, datasets: [
      Object.assign(line("worst", steps.map((s) => small(s.worst_error)), colours.blue, false), {
        pointRadius: steps.map((s) => s.failed ? 7 : 3), pointStyle: steps.map((s) => s.failed ? "rectRot" : "circle"),
        pointBackgroundColor: steps.map((s) => s.failed ? colours.orange : colours.blue) }),
      line("mean", steps.map((s) => small(s.mean_error)), colours.sky, false),
      Object.assign(line("allowed", steps.map((s) => s.tolerance), colours.grey, true), { stepped: "middle" })] },
    options: { scales: { x: { grid: { display: false }, ticks: { maxRotation: 60, autoSkip: steps.length > 60 } }, y: logarithmic("error", power) },
      plugins: { legend, tooltip: { callbacks: { label: (item) => item.dataset.label + ": " + item.parsed.y.toExponential(2),
        afterBody: (items) => { const s = steps[items[0].dataIndex]; return s.failed ? [`${s.cause} of ${s.origin}`, `[${s.index}] ${s.encrypted} ≠ ${s.message}`] : []; } } } },
      interaction: { mode: "index", intersect: false } } }, true);
  plot(grid, "share", "Range used", "largest value against what readers on an interval, or the modulus, carry", {
    type: "bar", height: Math.max(220, 100 + 22 * names.length),
    data: { labels: names, datasets: [{ label: "share", data: steps.map((s) => 100 * s.range_share), minBarLength: 2,
      backgroundColor: steps.map((s) => s.range_share > 1 ? colours.orange : alpha(colours.green, 0.8)) }] },
    options: { indexAxis: "y", scales: { x: axis("%", String, { min: 0, suggestedMax: 100 }), y: { grid: { display: false }, ticks: { autoSkip: false } } },
      plugins: { legend: { display: false }, tooltip: { callbacks: { label: (item) => percent(item.parsed.x / 100) } } } } });
  plot(grid, "levels", "Levels and scales", "of the values compared", {
    type: "line",
    data: { labels: names, datasets: [
      Object.assign(line("level", steps.map((s) => s.level), colours.blue, false), { stepped: true, yAxisID: "y" }),
      Object.assign(line("log2 of the scale", steps.map((s) => s.log_scale), colours.orange, true), { yAxisID: "y2" })] },
    options: { scales: { x: { grid: { display: false }, ticks: { maxRotation: 60 } }, y: axis("level", String, { position: "left", beginAtZero: true, ticks: { precision: 0 } }),
      y2: axis("bits of the scale", (v) => v.toFixed(v % 1 ? 1 : 0), { position: "right", grid: { display: false }, suggestedMin: 0 }) }, plugins: { legend } } });
  table("validation", ["operator", "compared with", "worst bits", "mean bits", "allowed", "level", "scale, bits", "range used", "likely cause"], steps.map((s) => [
    s.node, s.operators, [s.worst_bits.toFixed(1), s.worst_bits], [s.mean_bits.toFixed(1), s.mean_bits], s.tolerance.toExponential(1), String(s.level),
    s.log_scale.toFixed(2), s.range_share < 1e-3 ? "below 0.1 %" : percent(s.range_share),
    s.failed ? s.cause + (s.origin === s.node ? "" : " of " + s.origin) : "ok"]));
}

function inked(canvas) {
  const { data } = canvas.getContext("2d").getImageData(0, 0, canvas.width, canvas.height);
  const seen = new Set();
  for (let i = 0; i < data.length; i += 4) if (data[i + 3] > 0) seen.add((data[i] << 16) | (data[i + 1] << 8) | data[i + 2]);
  return seen.size > 8;
}

const data = JSON.parse(document.getElementById("data").textContent);
Chart.defaults.font.family = "system-ui, 'Segoe UI', Roboto, 'Liberation Sans', sans-serif";
Chart.defaults.color = "#3a4553";
page.append(make("h1", data.title));
if (data.subtitle) page.append(make("p", data.subtitle, "note"));
if (data.packing) drawPacking(data.packing);
if (data.packing_plan) drawPlan(data.packing_plan, "plan");
if (data.merkle) drawMerkle(data.merkle);
if (data.ckks) drawCkks(data.ckks);
if (data.model) (data.model.scheme === "tfhe" ? drawIntegers : drawModel)(data.model);
if (data.validation) drawValidation(data.validation);
document.body.dataset.plots = plots.length;
document.body.dataset.painted = plots.filter((p) => inked(p.canvas)).length;

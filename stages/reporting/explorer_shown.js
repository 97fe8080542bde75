// How the explorer shows a row: numbers in words, and drawn on an axis that fits all rows, with what they are compared with.
"use strict";
const explorerShown = (() => {
  const WIDTH = 280, INSIDE = 8;
  const text = (value, step) => (value === null ? "undefined" : value.toFixed(Math.max(3, Math.round(-Math.log10(step)))));
  const count = (value) => (value === null ? "?" : value.toLocaleString("en"));
  const interval = (row) => (row.value === null ? `undefined: ${row.reason}` : text(row.value, row.step)
    + (row.low === null && row.high === null ? ", no interval"
      : ` [${row.low === null ? "no lower end" : text(row.low, row.step)}, ${row.high === null ? "no upper end" : text(row.high, row.step)}]`));
  const chance = (q) => (q === null ? "" : q === 0 ? " (q < 0.001)" : ` (q = ${q.toFixed(3)})`);
  const spaced = (set) => set.replaceAll("+", " + ");

  function svg(tag, attributes, parent) {
    const made = document.createElementNS("http://www.w3.org/2000/svg", tag);
    Object.entries(attributes).forEach(([name, value]) => made.setAttribute(name, value));
    return parent ? parent.appendChild(made) : made;
  }

  // The axis that all rows share: every end inside, of ratios 0.1 to 10 at most.
  function scaleOf(found, log) {
    const limit = (value) => (log ? Math.min(10, Math.max(0.1, value)) : value);
    const ends = found.flatMap((row) => [row.value, row.low, row.high, row.line, row.drawn, row.cut, ...(row.band ?? [])])
      .filter((value) => value !== null && value !== undefined).map(limit);
    const [low, high] = [Math.min(...ends), Math.max(...ends)];
    const on = (value) => (log ? Math.log(value) : value);
    const span = on(high) - on(low) || 1;
    const place = (value) => INSIDE + ((WIDTH - 2 * INSIDE) * (on(limit(Math.min(high, Math.max(low, value)))) - on(low))) / span;
    return {low, high, log, place};
  }

  function drawing(row, scale) {
    const made = svg("svg", {width: WIDTH, height: 20, viewBox: `0 0 ${WIDTH} 20`, "aria-hidden": "true", focusable: "false"});
    const known = (value) => value !== null && value !== undefined;
    const line = (a, b, look) => svg("line", {x1: scale.place(a), x2: scale.place(b), y1: 10, y2: 10, ...look}, made);
    if (known(row.band?.[0]) && known(row.band?.[1])) line(row.band[0], row.band[1], {stroke: "#c9c9c9", "stroke-width": 10});
    if (known(row.line)) line(row.line, row.line, {y1: 0, y2: 20, stroke: "#333333", "stroke-dasharray": "3 2"});
    if (row.value === null) return made;
    const colour = ["disparity", "less fair"].includes(row.verdict) ? "#b34700" : "#0b5394";
    const ends = [row.low ?? (row.high === null ? null : scale.low), row.high ?? (row.low === null ? null : scale.high)];
    if (known(ends[0])) line(ends[0], ends[1], {stroke: colour, "stroke-width": 2});
    if (known(row.cut)) line(row.cut, row.cut, {y1: 3, y2: 17, stroke: "#5b646c", "stroke-width": 2});
    if (known(row.drawn)) {
      if (row.paired) line(row.drawn, row.value, {stroke: "#5b646c"});
      svg("circle", {cx: scale.place(row.drawn), cy: 10, r: 5, fill: "none", stroke: "#333333", "stroke-width": 1.5}, made);
    }
    const x = scale.place(row.value);
    if (colour === "#b34700") svg("rect", {x: x - 4, y: 6, width: 8, height: 8, fill: colour}, made);
    else svg("circle", {cx: x, cy: 10, r: 4, fill: colour}, made);
    return made;
  }

  function element(tag, content, attributes = {}) {
    const made = document.createElement(tag);
    Object.entries(attributes).forEach(([name, value]) => made.setAttribute(name, value));
    made.append(content);
    return made;
  }

  const undrawn = {low: 0, high: 1, log: false, place: () => INSIDE};
  return {scaleOf, drawing, element, undrawn, text, count, interval, chance, spaced};
})();

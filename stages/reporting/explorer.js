// The page's explorer: choose, filter, sort and draw what lies in the page as JSON (explorer.py says how). It fetches nothing.
"use strict";
(() => {
  const data = JSON.parse(document.getElementById("explorer_data").textContent);
  const at = (name) => document.getElementById(`explorer_${name}`);
  const inputs = ["view", "task", "model", "metric", "set", "beside", "verdict", "least", "find"];
  const NAMES = {di: "DI", di_star: "DI*", adi: "ADI", fv: "FV", tpr: "TPR gap"};
  const {scaleOf, drawing, element, undrawn, text, count, interval, chance, spaced} = explorerShown;
  const PAGE = 100;
  let sorted = {by: "verdict", up: true}, most = PAGE;

  // Columns of numbers and of words.
  const column = (place) => data.columns[place];
  const number = (place, row, step) => (column(place)[row] === null ? null : column(place)[row] * step);
  const word = (place, row) => data.texts[column(place)[row]];

  const task = () => data.tasks[at("task").value];
  const modelNumber = () => Number(at("model").value);
  const choices = () => (at("view").value === "groups" ? task().metrics : at("view").value === "gaps" ? task().gaps : pairs());
  const pairs = () => task().pairs.filter((pair) => pair.model === data.models[modelNumber()])
    .map((pair) => ({...pair, key: pair.metric, name: `${NAMES[pair.metric]}, beside ${pair.baseline}`, step: 0.001}));
  const onLogarithm = () => Boolean(chosen().log ?? ["adi", "di"].includes(chosen().metric));
  const chosen = () => choices().find((choice) => choice.key === at("metric").value);

  function measured(cell, step, row) {
    return {step, value: number(cell.value, row, step), low: number(cell.ci_low, row, step), high: number(cell.ci_high, row, step),
      q: number(cell.q_value, row, 0.001), verdict: word(cell.verdict, row) || "not tested", reason: word(cell.reason, row)};
  }

  function ofGroups(metric, beside) {
    const cell = metric.cells[modelNumber()];
    const everyone = cell.everyone === null ? null : cell.everyone * metric.step;
    return task().groups.map(([name, set], row) => {
      const found = {...measured(cell, metric.step, row), name, set, line: everyone, n: number(cell.n, row, 1)};
      const people = number(cell.people, row, 1);
      found.other = beside === null ? everyone : number(metric.cells[beside].value, row, metric.step);
      found.drawn = beside === null ? null : found.other;
      found.second = text(found.other, metric.step);
      found.counted = `${count(found.n)} (${count(people)})`;
      found.least = people;
      found.says = `n: ${count(found.n)} ${metric.counted} by ${count(people)} ${people === 1 ? "person" : "people"}. Everyone: ${text(everyone, metric.step)}.`;
      return found;
    });
  }

  function ofGaps(gap, beside) {
    const cell = gap.cells[modelNumber()];
    return task().sets.map(([name], row) => {
      const found = {...measured(cell, gap.step, row), name: spaced(name), set: row, line: gap.parity};
      const sides = [number(cell.n_protected, row, 1), number(cell.n_privileged, row, 1)];
      const whole = number(cell.n, row, 1);
      const bands = [number(cell.null_low, row, gap.step), number(cell.null_high, row, gap.step)];
      const band = bands[0] === null || bands[1] === null ? "not computed" : `${text(bands[0], gap.step)} to ${text(bands[1], gap.step)}`;
      found.band = bands;
      found.other = beside === null ? bands[1] : number(gap.cells[beside].value, row, gap.step);
      found.drawn = beside === null ? null : found.other;
      found.second = beside === null ? band : text(found.other, gap.step);
      found.n = sides[0] === null ? whole : Math.min(...sides);
      found.least = found.n;
      found.counted = sides[0] === null ? count(whole) : `${count(sides[0])} / ${count(sides[1])}`;
      found.says = (sides[0] === null ? `n: ${count(whole)} ${gap.counted}.`
        : `n: ${count(sides[0])} ${gap.counted} of the protected group, ${count(sides[1])} of the privileged.`)
        + ` Parity: ${gap.parity}. By chance alone: ${band}.`;
      return found;
    });
  }

  function ofPairs(pair) {
    const ratio = pair.metric === "adi" || pair.metric === "di";
    const size = (value) => (value === null ? "undefined" : ratio ? `x ${Math.exp(value).toFixed(2)}` : value.toFixed(3));
    return task().sets.map(([name], row) => {
      const get = (what) => number(pair[what], row, 0.001);
      const [difference, low, high, q] = [get("difference"), get("ci_low"), get("ci_high"), get("q_value")];
      const ends = low === null ? "" : ` [${size(low)}, ${size(high)}]`;
      return {name: spaced(name), set: row, step: 0.001, value: get("value"), low: null, high: null, drawn: get("baseline_value"),
        cut: get("matched_value"), line: ratio ? 1 : 0, q, verdict: word(pair.verdict, row), reason: word(pair.reason, row), other: get("baseline_value"),
        second: `${text(get("baseline_value"), 0.001)}; cut ${text(get("matched_value"), 0.001)}`, n: difference, least: Infinity,
        counted: size(difference) + ends, paired: true,
        says: `Model / cut baseline, distance from parity: ${size(difference)}${ends}. ${word(pair.reason, row)}`};
    });
  }

  const HEADS = {
    groups: {name: "Group", value: "Measured", other: "Everyone", n: "n (people)", verdict: "Verdict"},
    gaps: {name: "Attribute set", value: "Gap", other: "By chance", n: "n", verdict: "Verdict"},
    pairs: {name: "Attribute set", value: "Model", other: "Baseline; cut", n: "Model / cut baseline", verdict: "Verdict"},
  };

  function rows() {
    const choice = chosen();
    const beside = at("beside").value === "" ? null : Number(at("beside").value);
    if (!choice) return [];
    const found = {groups: ofGroups, gaps: ofGaps, pairs: ofPairs}[at("view").value](choice, beside);
    found.forEach((row) => { if (row.value === null) row.verdict = "undefined"; });
    return found;
  }

  function kept(all) {
    const [set, verdict, find, least] = ["set", "verdict", "find", "least"].map((name) => at(name).value);
    return all.filter((row) => {
      const [name, order] = task().sets[row.set];
      return (set === "" || set === name || set === `order ${order}`) && (verdict === "" || verdict === row.verdict)
        && row.least >= Number(least) && `${row.name} ${spaced(name)}`.toLowerCase().includes(find.trim().toLowerCase());
    });
  }

  function inOrder(found) {
    const ranks = ["disparity", "fairer", "less fair", "no evidence of disparity", "no evidence of a difference"];
    const rank = (row) => (ranks.indexOf(row.verdict) + 1 || ranks.length + 1) * 10 + (row.q ?? 2);
    const key = {name: (row) => row.name.toLowerCase(), value: (row) => row.value, other: (row) => row.other, n: (row) => row.n, verdict: rank};
    const of = key[sorted.by];
    return found.map((row) => [of(row), row]).sort(([a], [b]) => {
      if (a === null || b === null) return (a === null) - (b === null); // what is undefined comes last either way
      return (a < b ? -1 : a > b ? 1 : 0) * (sorted.up ? 1 : -1);
    }).map(([, row]) => row);
  }

  // The table.
  function head(scale) {
    const heads = {...HEADS[at("view").value]};
    if (at("beside").value !== "" && at("view").value !== "pairs") heads.other = `Of ${data.models[at("beside").value]}`;
    const made = document.createElement("tr");
    Object.entries(heads).forEach(([by, name], place) => {
      const button = element("button", name, {type: "button"});
      button.addEventListener("click", () => { sorted = {by, up: sorted.by === by ? !sorted.up : true}; show(); at("head").querySelectorAll("button")[place].focus(); });
      const cell = element("th", button, {scope: "col"});
      if (sorted.by === by) cell.setAttribute("aria-sort", sorted.up ? "ascending" : "descending");
      made.append(cell);
      if (by === "name") made.append(element("th", scale ? `${scale.low.toPrecision(3)} to ${scale.high.toPrecision(3)}${scale.log ? ", log scale" : ""}` : "", {scope: "col"}));
    });
    at("head").replaceChildren(made);
  }

  function tell(row) {
    const set = spaced(task().sets[row.set][0]);
    const name = row.name === set ? set : `${row.name} (${set})`;
    at("detail").textContent = `${name}: ${chosen().name} ${row.paired ? text(row.value, row.step) : interval(row)}; ${row.verdict}${chance(row.q)}. ${row.says}`;
  }

  function line(row, scale, first) {
    const made = document.createElement("tr");
    const button = element("button", row.name, {type: "button", tabindex: first ? "0" : "-1", "aria-describedby": "explorer_detail"});
    const name = element("th", button, {scope: "row"});
    if (at("view").value === "groups") name.append(element("small", spaced(task().sets[row.set][0])));
    const cells = [row.paired ? text(row.value, row.step) : interval(row), row.second, row.counted, row.verdict + chance(row.q)];
    made.append(name, element("td", drawing(row, scale)), ...cells.map((cell) => element("td", cell)));
    ["focusin", "mouseenter", "click"].forEach((event) => made.addEventListener(event, () => tell(row)));
    return made;
  }

  function show() {
    const found = inOrder(kept(rows()));
    const scale = found.some((row) => row.value !== null) ? scaleOf(found, onLogarithm()) : null;
    head(scale);
    at("rows").replaceChildren(...found.slice(0, most).map((row, place) => line(row, scale ?? undrawn, place === 0)));
    const all = at("view").value === "groups" ? task().all : task().sets.length;
    at("count").textContent = chosen() ? `${found.length.toLocaleString("en")} of ${all.toLocaleString("en")}`
      + ` ${at("view").value === "groups" ? "groups" : "attribute sets"}${found.length > most ? `, the first ${most} below` : ""}`
      + `${at("view").value === "groups" && task().left_out ? `; ${task().left_out.toLocaleString("en")} are not on this page` : ""}.`
      : "This model has no baseline in the design to be compared with.";
    at("more").hidden = found.length <= most;
    at("detail").textContent = "Point at a row, or go through the rows with Tab and the arrow keys: here stands what it rests on.";
  }

  function fill(name, options) {
    const before = at(name).value;
    at(name).replaceChildren(...options.map(([value, label]) => new Option(label, value)));
    if (options.some(([value]) => String(value) === before)) at(name).value = before;
  }

  function refill() {
    const orders = [...new Set(task().sets.map(([, order]) => order))];
    fill("metric", choices().map((choice) => [choice.key, choice.name]));
    fill("set", [["", "All"], ...orders.map((order) => [`order ${order}`, `All of ${order} demographic${order > 1 ? "s" : ""}`]),
      ...task().sets.map(([name]) => [name, spaced(name)])]);
    fill("beside", [["", "No other model"], ...data.models.map((name, place) => [place, name]).filter(([place]) => place !== modelNumber())]);
    fill("verdict", [["", "All"], ...[...new Set(rows().map((row) => row.verdict))].sort().map((verdict) => [verdict, verdict])]);
    at("beside").disabled = at("view").value === "pairs";
    most = PAGE;
    show();
  }

  at("rows").addEventListener("keydown", (event) => {
    const buttons = [...at("rows").querySelectorAll("button")];
    const here = buttons.indexOf(document.activeElement);
    const to = {ArrowDown: here + 1, ArrowUp: here - 1, Home: 0, End: buttons.length - 1}[event.key];
    if (to === undefined || !buttons[to]) return;
    event.preventDefault();
    buttons[here].tabIndex = -1;
    buttons[to].tabIndex = 0;
    buttons[to].focus();
  });
  at("more").addEventListener("click", () => { most += PAGE; show(); });
  inputs.forEach((name) => at(name).addEventListener(name === "find" || name === "least" ? "input" : "change", refill));
  fill("task", data.tasks.map((one, place) => [place, one.name]));
  fill("model", data.models.map((name, place) => [place, name]));
  if (!data.tasks.some((one) => one.pairs.length)) at("view").querySelector("[value=pairs]").remove();
  refill();
  document.getElementById("explorer_app").hidden = false;
})();

// The live page: asks the API every two seconds and draws what it says.
import { clockTimes, drawBelief, drawNothing, drawReward, drawScales, tidy } from "/static/charts.js";

const EVERY = 2000, SLOWLY = 10000; // milliseconds between two looks at the experiment, and at the estimates
const at = (id) => document.getElementById(id);
const state = { name: null, layer: "mean", history: null, estimates: null, before: null, looked: 0, busy: false, why: null };

async function ask(path) {
  const key = sessionStorage.getItem("quickdraw-key");
  const answer = await fetch(path, { headers: key ? { authorization: `Bearer ${key}` } : {} });
  if (answer.status === 401 || answer.status === 403) at("key-form").hidden = false;
  const body = await answer.json();
  if (!answer.ok) throw new Error(body.error ? `${body.error.message}. ${body.error.advice}` : answer.statusText);
  at("key-form").hidden = true;
  return body;
}

const url = (what) => `/v1/experiments/${encodeURIComponent(state.name)}${what}`;
const short = (value) => (value === null || value === undefined ? "–" : Math.abs(value) >= 1e5 ? value.toExponential(2) : String(+value.toPrecision(4)));
const named = (arm, label) => (label === null || label === undefined ? `arm ${arm}` : `${tidy(label)} (arm ${arm})`);

function element(tag, text, more = {}) {
  const made = document.createElement(tag);
  if (text !== null) made.textContent = text;
  Object.assign(made, more);
  return made;
}

function status(text, bad = false) {
  const line = at("status");
  if (line.textContent !== text) line.textContent = text;
  line.classList.toggle("bad", bad);
}

function showTiles(found) {
  const now = performance.now(), before = state.before;
  let pace = "–";
  if (before && before.name === found.name && now > before.now) pace = short(((found.decisions - before.decisions) * 1000) / (now - before.now));
  state.before = { name: found.name, decisions: found.decisions, now };
  const figures = [["policy", found.policy.name.replace(/([a-z])([A-Z])/g, "$1\u200b$2")], ["arms", (found.n_arms - found.n_retired).toLocaleString("en")], ["decisions", found.decisions.toLocaleString("en")], ["rewards", found.rewards.toLocaleString("en")], ["pending", found.pending.toLocaleString("en")], ["decisions per second", pace], ["random part", `${short(found.uniform * 100)} %`]];
  at("tiles").replaceChildren(...figures.map(([name, value]) => {
    const tile = element("div", null);
    tile.append(element("dt", name), element("dd", value));
    return tile;
  }));
}

function showTop(belief) {
  const order = belief.arms.map((_, k) => k).filter((k) => belief.index[k] !== null).sort((a, b) => belief.index[b] - belief.index[a]).slice(0, 8);
  at("top").tBodies[0].replaceChildren(...order.map((k) => {
    const row = element("tr", null), action = element("td", null);
    const name = named(belief.arms[k], belief.labels ? belief.labels[k] : null);
    const button = element("button", "why?", { type: "button" });
    button.setAttribute("aria-label", `Why ${name}?`);
    button.addEventListener("click", () => explain(belief.arms[k]));
    action.append(button);
    row.append(element("td", name), element("td", short(belief.mean[k])), element("td", short(belief.deviation[k])), element("td", short(belief.index[k])), action);
    return row;
  }));
}

async function explain(arm) {
  try {
    const found = await ask(url(`/explain?${typeof arm === "number" ? "arm" : /^\d+$/.test(arm) ? "arm" : "label"}=${encodeURIComponent(arm)}&most=8`));
    const time = clockTimes(found.observations.length ? found.observations.map((each) => each.time).sort((a, b) => a - b) : [0]);
    const table = element("table", null), head = element("tr", null), body = element("tbody", null);
    for (const name of ["observation", "reward", "age", "distance", "weight"]) head.append(element("th", name, { scope: "col", className: name === "distance" ? "extra" : "" }));
    for (const each of found.observations) {
      const row = element("tr", null), when = time(each.time);
      const place = named(each.arm, each.label) + (each.count > 1.5 ? ` × ${Math.round(each.count)}` : "");
      row.append(element("td", `${place}, ${when instanceof Date ? when.toLocaleTimeString() : short(when)}`), element("td", short(each.reward)), element("td", short(each.age)), element("td", short(each.distance), { className: "extra" }), element("td", short(each.weight)));
      body.append(row);
    }
    const top = element("thead", null);
    top.append(head);
    table.append(top, body);
    at("why").replaceChildren(element("p", `${named(found.arm, found.label)}: mean ${short(found.mean)}, deviation ${short(found.deviation)}, index ${short(found.index)}. The observations that weigh most in the mean:`), table);
    at("why-arm").value = found.label === null ? found.arm : found.label;
  } catch (error) {
    at("why").replaceChildren(element("p", error.message, { className: "weak" }));
  }
}

async function estimateOthers() {
  const names = [...document.querySelectorAll("#others-form input:checked")].map((box) => box.value);
  at("others").replaceChildren(element("p", "estimating …", { className: "note" }));
  try {
    const found = (await ask(url(`/evaluation?policies=${names.join(",")}`))).estimates;
    const table = element("table", null), top = element("thead", null), head = element("tr", null), body = element("tbody", null);
    for (const name of ["who", "reward per decision", "95 % interval", "evidence"]) head.append(element("th", name, { scope: "col", className: name === "evidence" ? name : "" }));
    for (const each of found) {
      const row = element("tr", null);
      row.append(element("td", each.arm === null ? each.name : `${each.name} (arm ${each.arm})`), element("td", short(each.value)), element("td", each.low === null ? "–" : `${short(each.low)} to ${short(each.high)}`), element("td", each.weakness ? `weak: ${each.weakness}` : "good", { className: each.weakness ? "evidence weak" : "evidence" }));
      body.append(row);
    }
    top.append(head);
    table.append(top, body);
    at("others").replaceChildren(table);
  } catch (error) {
    at("others").replaceChildren(element("p", error.message, { className: "weak" }));
  }
}

function drawAll() {
  drawBelief(at("belief"), state.history, state.layer, explain);
  drawReward(at("reward"), state.history, state.estimates);
  drawScales(at("scales"), state.history.scales);
}

async function look() {
  if (state.busy || document.hidden) return;
  state.busy = true;
  try {
    const { experiments } = await ask("/v1/experiments");
    const select = at("experiment"), names = experiments.map((each) => each.name);
    at("empty").hidden = names.length > 0;
    at("content").hidden = names.length === 0;
    if (names.join("\n") !== [...select.options].map((option) => option.value).join("\n")) {
      select.replaceChildren(...names.map((name) => element("option", name, { value: name })));
      const wanted = decodeURIComponent(location.hash.slice(1));
      if (names.includes(wanted)) select.value = wanted;
    }
    if (names.length) await show(experiments.find((each) => each.name === select.value));
    status(`up to date at ${new Date().toLocaleTimeString()}`);
  } catch (error) {
    status(error.message, true);
  } finally {
    state.busy = false;
  }
}

// Nothing of the experiment that was shown before stays, also where the next one has no answer to some question.
function begin(name) {
  Object.assign(state, { name, history: null, estimates: null, looked: 0 });
  for (const id of ["belief", "reward", "scales"]) drawNothing(at(id), "");
  for (const id of ["reward-note", "belief-note", "scales-note", "others"]) at(id).replaceChildren();
  at("top").tBodies[0].replaceChildren();
  at("why").replaceChildren(element("p", "Click on an arm in the picture or in the table.", { className: "note" }));
  at("why-arm").value = "";
}

async function show(found) {
  if (state.name !== found.name) begin(found.name);
  document.title = `quickdraw: ${found.name}`;
  showTiles(found);
  const narrow = document.documentElement.clientWidth < 760;
  state.history = await ask(url(`/history?times=${narrow ? 40 : 80}&points=200&latest=500`));
  if (found.decisions) {
    try {
      showTop(await ask(url("/belief?points=1000")));
    } catch (error) {
      const row = element("tr", null);
      row.append(element("td", error.message, { colSpan: 5, className: "weak" }));
      at("top").tBodies[0].replaceChildren(row);
    }
  }
  if (performance.now() - state.looked > SLOWLY || !state.looked) {
    state.looked = performance.now();
    try {
      state.estimates = (await ask(url("/evaluation"))).estimates;
      const weak = state.estimates.filter((each) => each.weakness).map((each) => each.name);
      at("reward-note").textContent = weak.length ? `Too little evidence so far for: ${weak.join(", ")}. Such a line may be far off, and even in the wrong order.` : "";
    } catch (error) {
      at("reward-note").textContent = error.message;
    }
  }
  const flat = found.dimension === 2;
  at("belief-note").textContent = flat ? "Each dot is an arm; circles: chosen lately. Click on an arm to see why." : `Estimated now for the time of the latest ${state.history.chosen.times.length} decisions; dots: the arms chosen. Click on an arm to see why.`;
  at("scales-note").textContent = state.history.scales.length ? "How far and how long rewards are alike, and their noise, as learned so far (logarithmic axis)." : "This policy learns no scales, or has not chosen yet.";
  at("belief").setAttribute("aria-label", `${state.layer === "mean" ? "Mean reward" : "Standard deviation"} over arms and time of ${found.name}, with the arms chosen`);
  drawAll();
}

at("experiment").addEventListener("change", () => {
  location.hash = encodeURIComponent(at("experiment").value);
  look();
});
at("key-form").addEventListener("submit", (event) => {
  event.preventDefault();
  sessionStorage.setItem("quickdraw-key", at("key").value);
  at("key").value = "";
  look();
});
at("why-form").addEventListener("submit", (event) => {
  event.preventDefault();
  explain(at("why-arm").value.trim());
});
at("others-form").addEventListener("submit", (event) => {
  event.preventDefault();
  estimateOthers();
});
for (const choice of document.querySelectorAll("input[name=layer]")) {
  choice.addEventListener("change", () => {
    state.layer = choice.value;
    if (state.history) drawAll();
  });
}
matchMedia("(prefers-color-scheme: dark)").addEventListener("change", () => state.history && drawAll());
document.addEventListener("visibilitychange", look);
setInterval(look, EVERY);
look();

// The charts. Each takes data as the API gives it and draws it into an element; colours follow the page's.

const colour = (name) => getComputedStyle(document.documentElement).getPropertyValue(`--${name}`).trim();

function layout(more) {
  const axis = { gridcolor: colour("line"), zerolinecolor: colour("line"), linecolor: colour("line") };
  const made = {
    paper_bgcolor: "rgba(0,0,0,0)",
    plot_bgcolor: "rgba(0,0,0,0)",
    font: { color: colour("ink"), family: "system-ui, sans-serif", size: 13 },
    margin: { l: 62, r: 12, t: 10, b: 52 },
    hovermode: "closest",
    showlegend: false,
    uirevision: "keep",
    ...more,
  };
  for (const name of ["xaxis", "yaxis"]) made[name] = { ...axis, ...(more[name] || {}) };
  return made;
}

// The axis of times: as many labels as there is room for, all of them level, so that none lies over the title.
function timeAxis(element) {
  return { title: { text: "time", standoff: 8 }, automargin: true, tickangle: 0, nticks: Math.max(2, Math.floor(element.clientWidth / 110)) };
}

// A label as it is shown: short, and without marks that turn the direction of the text around it.
export function tidy(label) {
  const plain = label.replace(/[\u061c\u200e\u200f\u202a-\u202e\u2066-\u2069]/g, "\ufffd");
  return plain.length > 40 ? `${plain.slice(0, 39)}…` : plain;
}

export function drawNothing(element, text) {
  Plotly.react(element, [], layout({ annotations: [{ text, showarrow: false, font: { size: 15 } }], xaxis: { visible: false }, yaxis: { visible: false } }), CONFIG);
}

// Above the data, so that no name lies over them.
const LEGEND = { showlegend: true, margin: { l: 62, r: 12, t: 44, b: 52 }, legend: { orientation: "h", y: 1.02, yanchor: "bottom", font: { size: 12 } } };
const CONFIG = { displayModeBar: false, responsive: true };

// Times near now are shown as clock times, others as the numbers that the client gave.
export function clockTimes(times) {
  const last = times[times.length - 1];
  return last > 1e9 && last < 1e10 ? (t) => new Date(t * 1000) : (t) => t;
}

function places(history) {
  if (history.points.length && history.points[0].length === 1) return { name: "arm (coordinate)", of: history.points.map((p) => p[0]) };
  return { name: "arm (position)", of: history.arms };
}

export function drawBelief(element, history, layer, onArm) {
  const flat = history.points.length > 0 && history.points[0].length === 2;
  const name = layer === "mean" ? "mean" : "deviation";
  const values = history[layer];
  const bar = { title: { text: name, side: "right" }, thickness: 12, outlinewidth: 0 };
  const scale = layer === "mean" ? "Viridis" : "Cividis";
  if (!values.length) {
    drawNothing(element, "no decisions yet");
    return;
  }
  let traces, axes;
  if (flat) {
    const now = values[values.length - 1];
    const where = new Map(history.arms.map((arm, k) => [arm, k]));
    const recent = history.chosen.arms.slice(-100).filter((arm) => where.has(arm));
    traces = [
      { type: "scatter", mode: "markers", x: history.points.map((p) => p[0]), y: history.points.map((p) => p[1]), customdata: history.arms, text: history.labels ? history.labels.map(tidy) : history.arms.map((a) => `arm ${a}`),
        marker: { color: now, colorscale: scale, size: 9, colorbar: bar }, hovertemplate: "%{text}<br>" + name + " %{marker.color:.3g}<extra></extra>" },
      { type: "scatter", mode: "markers", x: recent.map((arm) => history.points[where.get(arm)][0]), y: recent.map((arm) => history.points[where.get(arm)][1]), customdata: recent,
        marker: { color: "rgba(0,0,0,0)", size: 13, line: { color: colour("warm"), width: 1.5 } }, hovertemplate: "chosen lately: arm %{customdata}<extra></extra>" },
    ];
    axes = { xaxis: { title: { text: "first coordinate" } }, yaxis: { title: { text: "second coordinate" } } };
  } else {
    const time = clockTimes(history.times), y = places(history);
    const chosen = history.chosen;
    const line = (k) => (y.name === "arm (position)" ? chosen.arms[k] : chosen.points[k][0]);
    traces = [
      { type: "heatmap", x: history.times.map(time), y: y.of, z: history.arms.map((_, k) => values.map((row) => row[k])), colorscale: scale, colorbar: bar, customdata: history.arms.map((arm) => values.map(() => arm)),
        hovertemplate: "arm %{customdata}<br>" + name + " %{z:.3g}<extra></extra>" },
      { type: "scatter", mode: "markers", x: chosen.times.map(time), y: chosen.arms.map((_, k) => line(k)), customdata: chosen.arms, marker: { color: "#ffffff", size: 4.5, line: { color: "#111111", width: 0.8 } },
        text: chosen.rewards.map((r) => (r === null ? "reward pending" : `reward ${r.toPrecision(3)}`)), hovertemplate: "chosen: arm %{customdata}<br>%{text}<extra></extra>" },
    ];
    axes = { xaxis: timeAxis(element), yaxis: { title: { text: y.name } } };
  }
  Plotly.react(element, traces, layout(axes), CONFIG);
  element.removeAllListeners("plotly_click");
  element.on("plotly_click", (event) => onArm(event.points[0].customdata));
}

// Averages over consecutive decisions that have a reward.
function averages(chosen, parts) {
  const rows = chosen.times.map((t, k) => [t, chosen.rewards[k]]).filter((row) => row[1] !== null);
  const size = Math.max(1, Math.ceil(rows.length / parts)), made = [];
  for (let k = 0; k < rows.length; k += size) {
    const some = rows.slice(k, k + size);
    made.push([some[Math.floor(some.length / 2)][0], some.reduce((sum, row) => sum + row[1], 0) / some.length]);
  }
  return made;
}

export function drawReward(element, history, estimates) {
  const rows = averages(history.chosen, 40), time = clockTimes(history.chosen.times);
  const traces = [{ type: "scatter", mode: "lines+markers", name: "earned", x: rows.map((r) => time(r[0])), y: rows.map((r) => r[1]), line: { color: colour("strong"), width: 2 }, marker: { size: 5 }, hovertemplate: "earned %{y:.3g}<extra></extra>" }];
  const shapes = [], ends = rows.length ? [rows[0][0], rows[rows.length - 1][0]].map(time) : [];
  for (const [name, ink] of [["best fixed arm", "third"], ["random arms", "warm"]]) {
    const found = (estimates || []).find((each) => each.name === name);
    if (!found || found.value === null) continue;
    const across = { xref: "paper", x0: 0, x1: 1, yref: "y" };
    if (!found.weakness) shapes.push({ type: "rect", ...across, y0: found.low, y1: found.high, fillcolor: colour(ink), opacity: 0.14, line: { width: 0 } });
    traces.push({ type: "scatter", mode: "lines", name: name + (found.weakness ? " (weak evidence)" : ""), x: ends, y: ends.map(() => found.value), line: { color: colour(ink), width: 1.5, dash: found.weakness ? "dot" : "dash" }, opacity: found.weakness ? 0.6 : 1, hovertemplate: `${name} %{y:.3g}<extra></extra>` });
  }
  Plotly.react(element, traces, layout({ ...LEGEND, shapes, xaxis: timeAxis(element), yaxis: { title: { text: "reward per decision" } } }), CONFIG);
}

export function drawScales(element, scales) {
  if (!scales.length) {
    drawNothing(element, "no scales");
    return;
  }
  const names = [["length_scale", "length scale", "strong"], ["time_scale", "time scale", "warm"], ["noise", "noise", "third"]];
  const time = clockTimes(scales.map((each) => each.time));
  const traces = names.map(([field, name, ink]) => ({ type: "scatter", mode: "lines", name, x: scales.map((each) => time(each.time)), y: scales.map((each) => each.scales[field]), line: { color: colour(ink), width: 2, shape: "hv" }, hovertemplate: name + " %{y:.3g}<extra></extra>" }));
  Plotly.react(element, traces, layout({ ...LEGEND, xaxis: timeAxis(element), yaxis: { type: "log", title: { text: "value" } } }), CONFIG);
}

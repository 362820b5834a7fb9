"use strict";

const SIDE = 8, INK = 16, FINE = 32;
// The digits of load_digits fill a box of 32 pixels by 22 at most, and some 310 of its pixels are ink, however thick the pen was.
const WIDTH = 22, AREA = 310;

const at = id => document.getElementById(id);
const paper = at("paper");
let strokes = [];

function place(event) {
  const box = paper.getBoundingClientRect();
  return [(event.clientX - box.left - paper.clientLeft) * paper.width / paper.clientWidth,
          (event.clientY - box.top - paper.clientTop) * paper.height / paper.clientHeight];
}

function draw(context, lines, thickness) {
  context.lineWidth = thickness;
  context.lineCap = context.lineJoin = "round";
  for (const line of lines) {
    context.beginPath();
    context.moveTo(...line[0]);
    for (const point of line) context.lineTo(...point);
    context.stroke();
  }
}

function show() {
  const context = paper.getContext("2d");
  context.clearRect(0, 0, paper.width, paper.height);
  draw(context, strokes, 18);
  at("ask").disabled = strokes.length === 0;
}

// Ink of the strokes, brought to the box with a pen of some thickness: FINE by FINE, from 0 to 1.
function ink(thickness) {
  const points = strokes.flat();
  const ends = [0, 1].map(axis => [Math.min(...points.map(p => p[axis])), Math.max(...points.map(p => p[axis]))]);
  const [wide, high] = ends.map(([first, last]) => Math.max(last - first, 1));
  const down = (FINE - thickness) / high, across = Math.min(down, Math.max(WIDTH - thickness, 1) / wide);
  const middle = ends.map(([first, last]) => (first + last) / 2);
  const canvas = document.createElement("canvas");
  canvas.width = canvas.height = FINE;
  const context = canvas.getContext("2d", {willReadFrequently: true});
  draw(context, strokes.map(line => line.map(([x, y]) => [FINE / 2 + (x - middle[0]) * across, FINE / 2 + (y - middle[1]) * down])), thickness);
  const bytes = context.getImageData(0, 0, FINE, FINE).data;
  return Array.from({length: FINE * FINE}, (_, i) => bytes[4 * i + 3] / 255);
}

function pixels() {
  let least = 1.5, most = 12;
  let fine = [];
  for (let i = 0; i < 8; ++i) {
    const thickness = (least + most) / 2;
    fine = ink(thickness);
    if (fine.reduce((sum, x) => sum + x, 0) < AREA) least = thickness; else most = thickness;
  }
  const coarse = new Array(SIDE * SIDE).fill(0), block = FINE / SIDE;
  fine.forEach((x, i) => { coarse[SIDE * Math.floor(i / FINE / block) + Math.floor(i % FINE / block)] += x; });
  return coarse.map(x => Math.min(Math.round(x), INK));
}

// A grey pixel a number; what the last row lacks stays white.
function paint(canvas, columns, shades) {
  canvas.width = columns;
  canvas.height = Math.ceil(shades.length / columns);
  const context = canvas.getContext("2d"), image = context.createImageData(canvas.width, canvas.height);
  image.data.fill(255);
  shades.forEach((shade, i) => image.data.fill(shade, 4 * i, 4 * i + 3));
  context.putImageData(image, 0, 0);
}

function showScores(scores) {
  const body = at("scores").tBodies[0];
  body.replaceChildren();
  const least = Math.min(...scores, 0), most = Math.max(...scores), best = scores.indexOf(most);
  scores.forEach((score, digit) => {
    const row = body.insertRow();
    row.className = digit === best ? "best" : "";
    row.dataset.score = score;
    const head = row.appendChild(document.createElement("th"));
    head.textContent = digit;
    const bar = row.insertCell();
    bar.className = "bar";
    bar.appendChild(document.createElement("div")).style.width = 100 * (score - least) / (most - least || 1) + "%";
    row.insertCell().textContent = score.toFixed(3);
  });
}

async function json(response) {
  const content = await response.json();
  if (!response.ok) throw new Error(content.error);
  return content;
}

async function ask() {
  const picture = pixels();
  paint(at("picture"), SIDE, picture.map(x => 255 - x * 255 / INK));
  const answer = await json(await fetch("read", {
    method: "POST", headers: {"Content-Type": "application/json"}, body: JSON.stringify({pixels: picture})}));
  const question = Uint8Array.from(atob(answer.question), c => c.charCodeAt(0));
  paint(at("noise"), Math.ceil(Math.sqrt(question.length)), question);
  at("bytes").textContent = `${question.length.toLocaleString("en")} bytes, a grey pixel each. The same digit gives others each time.`;
  showScores(answer.scores);
  at("times").textContent = Object.entries(answer.seconds).map(([step, seconds]) => `${step} ${seconds.toFixed(3)} s`).join(", ");
  at("picture").dataset.pixels = JSON.stringify(picture);  // of the digit that the scores are of
}

paper.addEventListener("pointerdown", event => {
  paper.setPointerCapture(event.pointerId);
  strokes.push([place(event)]);
  show();
});
paper.addEventListener("pointermove", event => {
  if (!paper.hasPointerCapture(event.pointerId)) return;
  strokes[strokes.length - 1].push(place(event));
  show();
});
at("clear").addEventListener("click", () => { strokes = []; show(); });
at("ask").addEventListener("click", () => {
  at("ask").disabled = true;
  at("said").textContent = "";
  ask().catch(error => { at("said").textContent = error.message; }).finally(() => { at("ask").disabled = strokes.length === 0; });
});
show();
fetch("model").then(json).then(facts => {
  at("server").textContent = facts.server;
  at("model").textContent = `Model ${facts.model.slice(0, 12)}, ${facts.scheme}, ${facts.security_bits}-bit security.`;
}).catch(error => { at("said").textContent = error.message; });

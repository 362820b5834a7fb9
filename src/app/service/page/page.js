"use strict";

// The token stays in this page's memory: it is neither stored nor part of an address.
let token = "";
let timer = 0;

async function get(address) {
  const response = await fetch(address, {headers: {Authorization: "Bearer " + token}});
  if (!response.ok) throw new Error((await response.json()).error);
  return response;
}

function bytes(count) {
  const units = ["B", "KiB", "MiB", "GiB", "TiB"];
  let unit = 0;
  while (count >= 1024 && unit + 1 < units.length) { count /= 1024; ++unit; }
  return count.toFixed(unit ? 1 : 0) + " " + units[unit];
}

function row(table, cells) {
  const line = table.tBodies[0].insertRow();
  for (const cell of cells) {
    const place = line.insertCell();
    if (cell instanceof Node) place.append(cell); else place.textContent = cell;
  }
}

function button(text, action) {
  const made = document.createElement("button");
  made.type = "button";
  made.textContent = text;
  made.addEventListener("click", () => action().catch(say));
  return made;
}

function say(error) { document.getElementById("said").textContent = error ? error.message : ""; }

async function download(address, name) {
  const link = document.createElement("a");
  link.href = URL.createObjectURL(await (await get(address)).blob());
  link.download = name;
  link.click();
  URL.revokeObjectURL(link.href);
}

function keysText(keys) {
  if (keys.state === "ready") return "ready, " + bytes(keys.bytes);
  if (keys.state === "partial") return bytes(keys.upload.received) + " of " + bytes(keys.upload.total);
  return "none";
}

function stateText(job) {
  if (job.state === "running" && job.progress.total > 0)
    return `${job.progress.stage}, ${job.progress.done} of ${job.progress.total}`;
  if (job.state === "failed") return "failed: " + job.error;
  return job.state;
}

async function show() {
  const models = (await (await get("v1/models")).json()).models;
  const keys = await Promise.all(models.map(async m => (await get(`v1/models/${m.id}/keys`)).json()));
  const jobs = (await (await get("v1/jobs")).json()).jobs;
  const names = new Map(models.map(m => [m.id, m.name]));
  for (const id of ["models", "jobs"]) document.getElementById(id).tBodies[0].replaceChildren();
  models.forEach((model, i) => row(document.getElementById("models"), [
    model.name, model.scheme, model.security_bits + " bits", bytes(model.key_bytes), keysText(keys[i]),
    button("download", () => download(`v1/models/${model.id}/client`, "client.tacit"))]));
  for (const job of jobs)
    row(document.getElementById("jobs"), [
      job.job.slice(0, 8), names.get(job.model) || job.model.slice(0, 8), stateText(job),
      new Date(job.accepted * 1000).toLocaleString(), job.state === "done" ? job.seconds.toFixed(3) : "",
      job.state === "done" ? button("results", () => download(`v1/jobs/${job.job}/result`, "results.ct")) : ""]);
  document.getElementById("content").hidden = false;
  say();
}

document.getElementById("access").addEventListener("submit", event => {
  event.preventDefault();
  token = document.getElementById("token").value.trim();
  clearInterval(timer);
  show().then(() => { timer = setInterval(() => show().catch(say), 2000); }).catch(say);
});

document.getElementById("here").textContent = new URL(".", location.href).href.replace(/\/$/, "");

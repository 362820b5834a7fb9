// The page: keys, a question, its evaluation by `tacit serve`, and the answer. The module runs in a worker.

import {load} from './tacit-client/index.js';
import {Service} from './tacit-client/service.js';
import {Vault} from './tacit-client/vault.js';
import {Paper} from './digit.js';
import {paint, showOutputs} from './paint.js';

const at = (id) => document.getElementById(id);
const mostFields = 40;
const megabytes = (bytes) => `${(bytes / 1e6).toFixed(bytes < 1e6 ? 3 : 1)} MB`;
const hexadecimal = (bytes) => Array.from(bytes, (byte) => byte.toString(16).padStart(2, '0')).join('');
const sizeOf = (shape) => shape.reduce((product, extent) => product * extent, 1);

let tacit = null;
let service = null;
let offered = [];
let model = null;
let keys = null;
let stopping = null;

const paper = new Paper(at('paper'), update);

function isDigit(facts) {
  return facts.inputs.length === 1 && sizeOf(facts.inputs[0].shape) === 64 && facts.outputs.length === 1 &&
         sizeOf(facts.outputs[0].shape) === 10;
}
/** The numbers of the form, tensor after tensor. NaN where one is missing. */
function entered() {
  const text = at('numbers').value.trim();
  if (text !== '') return text.split(/[\s,;]+/).map(Number);
  return Array.from(at('fields').querySelectorAll('input'), (field) => field.valueAsNumber);
}
function update() {
  at('ask').disabled = keys === null || stopping !== null || (isDigit(model.facts) && paper.empty);
}
function progress(stage, done, total) {
  at('stage').textContent = stage;
  if (total > 0) at('progress').value = done / total;
}
function say(text) {
  at('said').textContent = text;
}

/** Runs work that can be stopped, and says what went wrong. */
async function working(work) {
  say('');
  stopping = new AbortController();
  for (const id of ['connect', 'prepare', 'models', 'forget']) at(id).disabled = true;
  at('stop').hidden = false;
  update();
  try {
    await work(stopping.signal);
  } catch (error) {
    say(stopping.signal.aborted ? 'Stopped. Make keys again.' : error.message);
    progress('', 0, 1);
    // Stopping ends the worker, and the keys with it.
    if (stopping.signal.aborted) {
      keys = null;
      at('steps').hidden = true;
    }
  } finally {
    stopping = null;
    for (const id of ['connect', 'prepare', 'models', 'forget']) at(id).disabled = false;
    at('stop').hidden = true;
    if (model !== null) update();
  }
}

async function start() {
  const sha256 = (await (await fetch('tacit-client/tacit_client.wasm.sha256')).text()).trim();
  return load({wasm: await fetch('tacit-client/tacit_client.wasm'), sha256});
}

async function connect(signal) {
  at('content').hidden = true;
  const onTraffic = ({sent, received}) => {
    at('traffic').textContent = `Sent ${megabytes(sent)}, received ${megabytes(received)}.`;
    Object.assign(at('traffic').dataset, {sent, received});
  };
  service = new Service(at('url').value, {token: at('token').value, onTraffic});
  offered = await service.models({signal});
  at('models').replaceChildren(...offered.map(({name, id}) => new Option(`${name} (${id.slice(0, 8)})`, id)));
  at('content').hidden = false;
  at('steps').hidden = true;
}

async function prepare(signal) {
  at('steps').hidden = true;
  keys = null;
  const id = at('models').value;
  const {scheme} = offered.find((one) => one.id === id);
  tacit?.close();  // its keys go with it
  progress('loading the module', 0, 1);
  tacit = await start();
  model = await tacit.model(await service.clientHalf(id, {signal}));
  if (model.facts.id !== id) throw new Error('the server sent the half of another model; ask its operator');
  const {name, parameters, security_bits: bits, key_bytes: keyBytes} = model.facts;
  at('facts').textContent = `${name}: ${scheme.toUpperCase()}, ${parameters}, ${bits}-bit security, at most ${megabytes(keyBytes)} of keys.`;
  const vault = await Vault.open();
  try {
    keys = await keptKeys(vault, id, signal) ?? await madeKeys(vault, id, signal);
  } finally {
    vault.close();
  }
  showForm();
}

/** Returns the keys that an earlier visit kept, if the server has theirs. */
async function keptKeys(vault, id, signal) {
  const [secret, root] = [await vault.get(id), await vault.get(`${id} root`)];
  const held = await service.keys(id, {signal});
  if (secret === undefined || root === undefined || held.root !== hexadecimal(root)) return undefined;
  progress('the keys of an earlier visit are used', 1, 1);
  return model.keys(secret, {root});
}

async function madeKeys(vault, id, signal) {
  const began = performance.now();
  const pieces = new Map();  // by offset; the browser may keep them on disk
  const made = await model.generateKeys({
    signal, onPlace: (offset, bytes) => pieces.set(offset, new Blob([bytes])),
    onProgress: ({stage, done, total}) => progress(stage, done, total)});
  const seconds = (performance.now() - began) / 1000;
  const file = new Blob([...pieces.entries()].sort(([a], [b]) => a - b).map(([, piece]) => piece));
  await service.uploadKeys(id, file, {
    root: made.root, signal, onProgress: ({done, total}) => progress(`sending ${megabytes(total)} of keys`, done, total)});
  if (at('keep').checked) {
    await vault.put(id, made.exportSecret());
    await vault.put(`${id} root`, made.root);
  }
  progress(`keys made in ${seconds.toFixed(1)} s, ${megabytes(file.size)} sent; heap ${megabytes(await tacit.heapBytes())}`, 1, 1);
  return made;
}

async function forget() {
  const vault = await Vault.open();
  for (const {id} of offered) {
    await vault.remove(id);
    await vault.remove(`${id} root`);
  }
  vault.close();
  progress('no secret key is kept', 0, 1);
}

function showForm() {
  const digit = isDigit(model.facts);
  at('digit').hidden = !digit;
  at('row').hidden = digit;
  at('steps').hidden = false;
  const size = model.facts.inputs.reduce((sum, {shape}) => sum + sizeOf(shape), 0);
  const fields = model.facts.inputs.flatMap(({name, shape}) =>
    Array.from({length: sizeOf(shape)}, (_, i) => [sizeOf(shape) > 1 ? `${name} ${i}` : name]));
  at('fields').replaceChildren(...(size > mostFields ? [] : fields).map((name) => {
    const label = document.createElement('label');
    const field = document.createElement('input');
    Object.assign(field, {type: 'number', step: 'any', value: 0});
    label.append(name, field);
    return label;
  }));
  update();
}

async function ask(signal) {
  let rest = isDigit(model.facts) ? paper.pixels() : entered();
  if (isDigit(model.facts)) paint(at('picture'), 8, rest.map((x) => 255 - x * 255 / 16));
  const row = rest;
  const input = {};
  for (const {name, shape} of model.facts.inputs) {
    input[name] = rest.slice(0, sizeOf(shape));
    rest = rest.slice(sizeOf(shape));
  }
  if (rest.length > 0) throw new Error(`there are ${rest.length} numbers too many; the model takes ${row.length - rest.length}`);
  const times = [];
  const timed = async (step, work) => {
    const began = performance.now();
    const result = await work;
    times.push(`${step} ${((performance.now() - began) / 1000).toFixed(3)} s`);
    return result;
  };
  const question = await timed('encrypting', keys.encrypt(input, {signal}));
  paint(at('noise'), Math.ceil(Math.sqrt(question.bytes.length)), question.bytes);
  at('bytes').textContent = `${question.bytes.length.toLocaleString('en')} bytes, a grey pixel each. The same input gives others each time.`;
  const {answer, receipt, seconds} = await timed('server and network', service.evaluate(model.facts.id, question, {
    signal, onProgress: ({state, progress: of}) => progress(state, of?.done ?? 0, of?.total ?? 1)}));
  times.push(`of them evaluating ${seconds.toFixed(3)} s`);
  const [outputs] = await timed('decrypting', keys.decrypt(answer, {question, receipt, signal}));
  showOutputs(at('results'), outputs);
  at('times').textContent = times.join(', ');
  progress('', 1, 1);
  at('results').dataset.row = JSON.stringify(row);  // of the input that the outputs are of
}

at('access').addEventListener('submit', (event) => {
  event.preventDefault();
  working(connect);
});
at('prepare').addEventListener('click', () => working(prepare));
at('forget').addEventListener('click', () => working(forget));
at('stop').addEventListener('click', () => stopping?.abort());
at('clear').addEventListener('click', () => paper.clear());
at('ask').addEventListener('click', () => working(ask));
at('url').value = new URLSearchParams(location.search).get('service') ?? '';

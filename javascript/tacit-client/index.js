// The client of Tacit: keys, encryption and decryption in a worker. Nothing here uses a network.

import {TacitRefused} from './errors.js';

export {TacitRefused};

const isNode = typeof process !== 'undefined' && process.versions?.node !== undefined && typeof Worker === 'undefined';

/** A worker, and the requests that wait for it. */
class Thread {
  #worker;
  #waiting = new Map();
  #next = 1;

  static async start() {
    const thread = new Thread();
    const url = new URL('./worker.js', import.meta.url);
    const lost = () => thread.#end(new TacitRefused('fault', 'the worker was lost; load the module again'));
    if (isNode) {
      const {Worker: NodeWorker} = await import('node:worker_threads');
      thread.#worker = new NodeWorker(url);
      thread.#worker.on('message', (message) => thread.#receive(message));
      thread.#worker.on('error', lost);
      thread.#worker.on('exit', lost);
      thread.#worker.unref();
    } else {
      thread.#worker = new Worker(url, {type: 'module'});
      thread.#worker.onmessage = (event) => thread.#receive(event.data);
      thread.#worker.onerror = lost;
    }
    return thread;
  }

  call(request, argument, {onProgress, onPart, signal, transfer = []} = {}) {
    return new Promise((resolve, reject) => {
      if (this.#worker === null) return reject(new TacitRefused('fault', 'the worker has ended; load the module again'));
      if (signal?.aborted) return reject(new TacitRefused('cancelled', 'cancelled'));
      const id = this.#next++;
      // The work does not look at messages. Cancelling ends the worker, and the keys in its memory with it.
      const cancel = () => this.close(new TacitRefused('cancelled', 'cancelled'));
      signal?.addEventListener('abort', cancel, {once: true});
      const settle = (act) => (value) => {
        signal?.removeEventListener('abort', cancel);
        this.#waiting.delete(id);
        if (isNode && this.#waiting.size === 0) this.#worker?.unref();
        act(value);
      };
      this.#waiting.set(id, {resolve: settle(resolve), reject: settle(reject), onProgress, onPart});
      if (isNode) this.#worker.ref();
      this.#worker.postMessage({id, request, argument}, transfer);
    });
  }

  close(error = new TacitRefused('cancelled', 'the worker was closed')) {
    const worker = this.#worker;
    this.#end(error);
    worker?.terminate();
  }

  #end(error) {
    for (const {reject} of [...this.#waiting.values()]) reject(error);
    this.#worker = null;
  }
  #receive({id, progress, part, value, error}) {
    const waiting = this.#waiting.get(id);
    if (waiting === undefined) return;
    if (progress !== undefined) waiting.onProgress?.(progress);
    else if (part !== undefined) waiting.onPart?.(part);
    else if (error === undefined) waiting.resolve(value);
    else if (error.name === 'TacitRefused') waiting.reject(new TacitRefused(error.code, error.message));
    else waiting.reject(new TacitRefused('fault', error.message));
  }
}

/** Starts a worker with the module. */
export async function load({wasm, sha256} = {}) {
  const bytes = await moduleBytes(wasm);
  const thread = await Thread.start();
  try {
    const {version} = await thread.call('load', {wasm: bytes, sha256});
    return new Tacit(thread, version);
  } catch (error) {
    thread.close();
    throw error;
  }
}

async function moduleBytes(wasm) {
  if (wasm === undefined && isNode) {
    const {readFile} = await import('node:fs/promises');
    return new Uint8Array(await readFile(new URL('./tacit_client.wasm', import.meta.url)));
  }
  if (wasm instanceof Uint8Array) return wasm;
  if (wasm instanceof ArrayBuffer) return new Uint8Array(wasm);
  if (wasm instanceof Response) return new Uint8Array(await wasm.arrayBuffer());
  throw new TacitRefused('refused', 'load: give the bytes of tacit_client.wasm, or its Response, as `wasm`');
}

class Tacit {
  #thread;
  constructor(thread, version) {
    this.#thread = thread;
    this.version = version;
  }
  async model(bytes, {allowInsecure = false} = {}) {
    const {handle, facts} = await this.#thread.call('openModel', {bytes: asBytes(bytes, 'model'), allowInsecure});
    return new Model(this.#thread, handle, facts);
  }
  heapBytes() {
    return this.#thread.call('heapBytes', {});
  }
  close() {
    this.#thread.close();
  }
}

class Model {
  #thread;
  #handle;
  constructor(thread, handle, facts) {
    this.#thread = thread;
    this.#handle = handle;
    this.facts = facts;
  }
  /** Makes keys. `store` names a file for the evaluation keys; `onPlace` receives them with offsets, and `onPiece` in
   *  order, made twice. Without any they are collected. */
  async generateKeys({onPiece, onBegin, onPlace, store, onProgress, signal} = {}) {
    const given = [onPiece, onPlace, store].filter((one) => one !== undefined);
    if (given.length > 1)
      throw new TacitRefused('refused', 'generateKeys: give one of onPiece, onPlace and store, or none');
    const inOrder = onPiece !== undefined;
    const places = [];
    const receive = onPiece ?? onPlace ?? ((offset, bytes) => places.push({offset, bytes}));
    const onPart = ({begin, root, offset, bytes}) =>
      bytes === undefined ? onBegin?.({bytes: begin, root}) : inOrder ? receive(bytes) : receive(offset, bytes);
    const {secret, keysRoot} =
      await this.#thread.call('makeKeys', {handle: this.#handle, inOrder, store}, {onProgress, onPart, signal});
    return new Keys(this.#thread, this.#handle, this.facts, secret, keysRoot,
                    given.length === 0 ? joined(places) : undefined);
  }
  /** Keys from the bytes that `exportSecret` gave. With `root`, that of the evaluation keys, receipts must name it. */
  keys(secret, {root = null} = {}) {
    return new Keys(this.#thread, this.#handle, this.facts, asBytes(secret, 'keys').slice(), root, undefined);
  }
  async close() {
    await this.#thread.call('closeModel', {handle: this.#handle});
  }
}

class Keys {
  #thread;
  #handle;
  #facts;
  #secret;
  #keysRoot;
  constructor(thread, handle, facts, secret, keysRoot, evaluation) {
    this.#thread = thread;
    this.#handle = handle;
    this.#facts = facts;
    this.#secret = secret;
    this.#keysRoot = keysRoot;
    this.evaluation = evaluation;
  }
  get root() {
    return this.#keysRoot;
  }
  /** The secret key in the clear. Whoever has it reads all inputs and results. */
  exportSecret() {
    return this.#secret.slice();
  }
  /** Encrypts one input, {name: values} or {name: {values, shape}}, or a list of them. */
  async encrypt(input, {onProgress, signal} = {}) {
    const inputs = (Array.isArray(input) ? input : [input]).map((one) => this.#tensorsOf(one));
    const argument = {handle: this.#handle, key: this.#secret, keyIsPublic: false, inputs};
    const {question, kept} = await this.#thread.call('encrypt', argument, {onProgress, signal});
    return {bytes: question, kept};
  }
  /** Decrypts results. With the question it checks that they answer it. A receipt must be of both, and of these keys. */
  async decrypt(results, {question, receipt, signer, onProgress, signal} = {}) {
    const argument = {handle: this.#handle, key: this.#secret, results: asBytes(results, 'decrypt'),
                      question: question?.bytes, kept: question?.kept, keysRoot: this.#keysRoot,
                      receipt: receipt === undefined ? undefined : asBytes(receipt, 'decrypt, receipt')};
    const {answers, signer: found} = await this.#thread.call('decrypt', argument, {onProgress, signal});
    if (signer !== undefined && signer !== found)
      throw new TacitRefused('key-mismatch', `the receipt is ${found === null ? 'not signed' : `signed by ${found}`}, ` +
                                             `and ${signer} was expected; nothing is shown`);
    return answers.map((outputs) => Object.fromEntries(outputs.map(({name, ...rest}) => [name, rest])));
  }

  #tensorsOf(input) {
    const names = this.#facts.inputs.map(({name}) => name);
    for (const name of Object.keys(input))
      if (!names.includes(name))
        throw new TacitRefused('refused', `the model has no input '${name}'; it has ${names.join(', ')}`);
    return this.#facts.inputs.map(({name, shape}) => {
      const given = input[name];
      if (given === undefined) throw new TacitRefused('refused', `there are no values for the input '${name}'; give them as {'${name}': values}`);
      if (ArrayBuffer.isView(given) || Array.isArray(given)) {
        const size = shape.reduce((product, extent) => product * extent, 1);
        return {values: Float64Array.from(given), shape: given.length === size ? shape : [given.length]};
      }
      return {values: Float64Array.from(given.values), shape: given.shape};
    });
  }
}

function asBytes(bytes, what) {
  if (bytes instanceof Uint8Array) return bytes;
  if (bytes instanceof ArrayBuffer) return new Uint8Array(bytes);
  throw new TacitRefused('refused', `${what}: give bytes, as Uint8Array or ArrayBuffer`);
}

/** The whole of pieces at offsets. */
function joined(places) {
  const whole = new Uint8Array(places.reduce((end, {offset, bytes}) => Math.max(end, offset + bytes.length), 0));
  for (const {offset, bytes} of places) whole.set(bytes, offset);
  return whole;
}

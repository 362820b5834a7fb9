// The thread in which the module runs. It answers requests of index.js, one after the other.

import {Module, compileModule} from './module.js';

const port = typeof self === 'undefined' ? (await import('node:worker_threads')).parentPort : self;
let module = null;

/** Collects pieces. The last one is the whole, in a buffer that is transferred. */
function collector() {
  let whole = new Uint8Array(0);
  let filled = 0;
  return {
    begin: (bytes) => { whole = new Uint8Array(bytes); },
    piece: (bytes) => { whole.set(bytes, filled); filled += bytes.length; },
    bytes: () => whole.subarray(0, filled),
  };
}

const requests = {
  async load({wasm, sha256}) {
    module = await Module.instantiate(await compileModule(wasm, sha256));
    return {value: {version: module.version}};
  },
  openModel: ({bytes, allowInsecure}) => ({value: module.openModel(bytes, {allowInsecure})}),
  closeModel: ({handle}) => ({value: module.closeModel(handle)}),
  makeKeys({handle}, report, piece) {
    const secret = collector();
    // The evaluation keys are large: every piece goes on at once.
    let keysRoot = null;
    const evaluation = {
      begin: (bytes, root) => {
        keysRoot = root;
        piece({begin: bytes, root});
      },
      piece: (bytes) => piece({bytes: bytes.slice()}),
    };
    module.makeKeys(handle, {evaluation, secret, report});
    return {value: {secret: secret.bytes(), keysRoot}, transfer: [secret.bytes().buffer]};
  },
  encrypt({handle, key, keyIsPublic, inputs}, report) {
    const question = collector();
    const kept = collector();
    module.encrypt(handle, {key, keyIsPublic, inputs, question, kept, report});
    return {value: {question: question.bytes(), kept: kept.bytes()}, transfer: [question.bytes().buffer]};
  },
  decrypt({handle, receipt, keysRoot, ...rest}, report) {
    const signer = receipt === undefined ? null : module.checkReceipt(handle, {receipt, keysRoot, ...rest});
    return {value: {answers: module.decrypt(handle, {...rest, report}), signer}};
  },
  heapBytes: () => ({value: module.heapBytes}),
};

async function answer({id, request, argument}) {
  const report = (stage, done, total) => port.postMessage({id, progress: {stage, done, total}});
  const piece = (part) => port.postMessage({id, part}, part.bytes ? [part.bytes.buffer] : []);
  try {
    const {value, transfer} = await requests[request](argument, report, piece);
    port.postMessage({id, value}, transfer ?? []);
  } catch (error) {
    port.postMessage({id, error: {name: error.name, code: error.code, message: error.message}});
  }
}

if (typeof self === 'undefined') port.on('message', answer);
else port.onmessage = (event) => answer(event.data);

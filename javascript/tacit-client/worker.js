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
  /** The evaluation keys are large: every piece goes on at once, to a file or to the page. */
  async makeKeys({handle, inOrder, store}, report, part) {
    const secret = collector();
    let keysRoot = null;
    let file = null;
    if (store !== undefined) file = await openStore(store);
    const evaluation = inOrder ? {
      begin: (bytes, root) => {
        keysRoot = root;
        part({begin: bytes, root});
      },
      piece: (bytes) => part({bytes: bytes.slice()}),
    } : {
      place: file?.place ?? ((offset, bytes) => part({offset, bytes: bytes.slice()})),
      end: (_, root) => { keysRoot = root; },
    };
    try {
      module.makeKeys(handle, {evaluation, secret, report});
      await file?.finish();
    } catch (error) {
      await file?.discard();
      throw error;
    }
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

/** A file of the browser's private file system, or in Node the file at a path. It has its name once it is whole. */
async function openStore(name) {
  if (typeof self === 'undefined') {
    const {openSync, writeSync, fsyncSync, closeSync, renameSync, rmSync} = await import('node:fs');
    const partial = `${name}.partial`;
    const file = openSync(partial, 'w');
    return {
      place: (offset, bytes) => {
        for (let done = 0; done < bytes.length;)
          done += writeSync(file, bytes, done, bytes.length - done, offset + done);
      },
      finish: () => {
        fsyncSync(file);
        closeSync(file);
        renameSync(partial, name);
      },
      discard: () => {
        closeSync(file);
        rmSync(partial, {force: true});
      },
    };
  }
  const folder = await navigator.storage.getDirectory();
  const file = await (await folder.getFileHandle(name, {create: true})).createSyncAccessHandle();
  file.truncate(0);
  return {
    place: (offset, bytes) => {
      for (let done = 0; done < bytes.length;) done += file.write(bytes.subarray(done), {at: offset + done});
    },
    finish: () => {
      file.flush();
      file.close();
    },
    discard: async () => {
      file.close();
      await folder.removeEntry(name);
    },
  };
}

async function answer({id, request, argument}) {
  const report = (stage, done, total) => port.postMessage({id, progress: {stage, done, total}});
  const part = (one) => port.postMessage({id, part: one}, one.bytes ? [one.bytes.buffer] : []);
  try {
    const {value, transfer} = await requests[request](argument, report, part);
    port.postMessage({id, value}, transfer ?? []);
  } catch (error) {
    port.postMessage({id, error: {name: error.name, code: error.code, message: error.message}});
  }
}

if (typeof self === 'undefined') port.on('message', answer);
else port.onmessage = (event) => answer(event.data);

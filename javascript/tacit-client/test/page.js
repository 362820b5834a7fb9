// The page of browser.test.mjs: keys, a question, its evaluation by the server of the test, and the answer.

import {load} from '/package/index.js';

async function bytes(path) {
  return new Uint8Array(await (await fetch(path)).arrayBuffer());
}
async function send(path, body) {
  return new Uint8Array(await (await fetch(path, {method: 'POST', body})).arrayBuffer());
}

async function work() {
  const sha256 = (await (await fetch('/package/tacit_client.wasm.sha256')).text()).trim();
  const tacit = await load({wasm: await fetch('/package/tacit_client.wasm'), sha256});
  const model = await tacit.model(await bytes('/client.tacit'));
  const stages = new Set();
  let began = performance.now();
  const keys = await model.generateKeys({onProgress: ({stage}) => stages.add(stage)});
  const ofKeys = performance.now() - began;
  await send('/keys', keys.evaluation);
  const [{name, shape}] = model.facts.inputs;
  const size = shape.reduce((product, extent) => product * extent, 1);
  const input = Float64Array.from({length: size}, (_, i) => (i * 7) % 17);
  began = performance.now();
  const question = await keys.encrypt({[name]: input});
  const ofQuestion = performance.now() - began;
  const results = await send('/evaluate', question.bytes);
  began = performance.now();
  const [answer] = await keys.decrypt(results, {question, receipt: await bytes('/receipt')});
  const ofAnswer = performance.now() - began;
  const refused = await keys.decrypt(question.bytes).catch((error) => `${error.name} ${error.code}: ${error.message}`);
  await send('/secret', keys.exportSecret());
  return {agent: navigator.userAgent, values: Array.from(answer[model.facts.outputs[0].name].values), refused,
          stages: [...stages], ofKeys, ofQuestion, ofAnswer, heap: await tacit.heapBytes()};
}

const report = await work().catch((error) => ({error: String(error.stack ?? error)}));
await send('/report', JSON.stringify(report));

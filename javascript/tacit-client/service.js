// The client of `tacit serve` in a page. It sends keys and encrypted inputs, and receives encrypted results.

import {TacitRefused} from './errors.js';

const tries = 8;
const longestWait = 60; // seconds
const piece = 4 << 20; // bytes of keys in one request

const pause = (seconds, signal) => new Promise((resolve, reject) => {
  signal?.throwIfAborted();
  const timer = setTimeout(resolve, 1000 * seconds);
  signal?.addEventListener('abort', () => { clearTimeout(timer); reject(signal.reason); }, {once: true});
});

export class Service {
  #url;
  #token;
  #onTraffic;

  /** `url` is the address of the server, which must allow the origin of this page (tacit serve --allow-origin).
   *  `onTraffic` receives the number of bytes of bodies that were sent and received so far. */
  constructor(url, {token, onTraffic = () => {}}) {
    let parsed;
    try {
      parsed = new URL(url);
    } catch {
      throw new TacitRefused('refused', `${url} is no address of a server; give one like https://host:8443`);
    }
    if (!['https:', 'http:'].includes(parsed.protocol) || parsed.pathname !== '/' || parsed.search !== '')
      throw new TacitRefused('refused', `${url} is no address of a server; give one like https://host:8443`);
    const near = ['localhost', '127.0.0.1', '[::1]'].includes(parsed.hostname);
    if (parsed.protocol === 'http:' && !near)
      throw new TacitRefused('refused', `${url}: without TLS everybody on the way reads the token and what is sent; use https://`);
    this.#url = parsed.origin;
    this.#token = token;
    this.#onTraffic = onTraffic;
    this.sent = 0;
    this.received = 0;
  }

  /** The models of the server: id, name, scheme, bytes of keys. */
  async models(options) {
    return (await this.#json('GET', '/v1/models', undefined, options)).models;
  }
  /** The bytes of a model's client half, for `tacit.model`. */
  clientHalf(id, options) {
    return this.#bytes(`/v1/models/${encodeURIComponent(id)}/client`, options);
  }
  /** The server's state of this client's keys: "state" is "none", "partial" or "ready". */
  keys(id, options) {
    return this.#json('GET', `/v1/models/${encodeURIComponent(id)}/keys`, undefined, options);
  }

  /** Uploads evaluation keys: a Blob, such as a file, or bytes. Bytes that the server has are not sent again, so that an
   *  interrupted upload continues when this is called again. `root` is Keys.root. */
  async uploadKeys(id, keys, {root, onProgress = () => {}, signal} = {}) {
    const blob = keys instanceof Blob ? keys : new Blob([keys]);
    const hexadecimal = root && Array.from(root, (byte) => byte.toString(16).padStart(2, '0')).join('');
    let state = await this.keys(id, {signal});
    let failures = 0;
    for (;;) {
      if (hexadecimal && state.root === hexadecimal) return state;
      const partial = state.upload?.total === blob.size ? state.upload.received : 0;
      const first = partial < blob.size ? partial : 0;
      const end = Math.min(first + piece, blob.size);
      onProgress({done: first, total: blob.size});
      try {
        state = await this.#json('PUT', `/v1/models/${encodeURIComponent(id)}/keys`, blob.slice(first, end),
                                 {signal, headers: {'Content-Range': `bytes ${first}-${end - 1}/${blob.size}`}});
        failures = 0;
        if (end === blob.size) {
          onProgress({done: end, total: end});
          return state;
        }
      } catch (error) {
        // What the server refused stays refused. A connection that was lost may come back.
        if (error instanceof TacitRefused || signal?.aborted || ++failures >= tries) throw error;
        await pause(failures, signal);
        state = await this.keys(id, {signal});
      }
    }
  }

  /** Evaluates a question of the model. Returns the bytes of the results and of their receipt, for `keys.decrypt`. */
  async evaluate(id, question, {onProgress = () => {}, signal} = {}) {
    let job = await this.#json('POST', `/v1/models/${encodeURIComponent(id)}/evaluations?wait=5`, question.bytes, {signal});
    const address = `/v1/jobs/${encodeURIComponent(job.job)}`;
    while (job.state === 'queued' || job.state === 'running') {
      onProgress(job);
      job = await this.#json('GET', `${address}?wait=5`, undefined, {signal});
    }
    if (job.state !== 'done') throw new TacitRefused('refused', `job ${job.job} failed: ${job.error}`);
    const answer = await this.#bytes(`${address}/result`, {signal});
    const receipt = await this.#bytes(`${address}/receipt`, {signal});
    await this.#json('DELETE', address, undefined, {signal});
    return {answer, receipt, seconds: job.seconds};
  }

  async #bytes(address, options) {
    const bytes = new Uint8Array(await (await this.#request('GET', address, undefined, options)).arrayBuffer());
    this.#count(0, bytes.length);
    return bytes;
  }
  async #json(method, address, body, options) {
    const text = await (await this.#request(method, address, body, options)).text();
    this.#count(0, text.length);
    try {
      return JSON.parse(text);
    } catch {
      throw new TacitRefused('fault', `${this.#url}: its answer is no JSON; ask the server's operator`);
    }
  }
  #count(sent, received) {
    this.sent += sent;
    this.received += received;
    this.#onTraffic({sent: this.sent, received: this.received});
  }

  /** Returns an answer below 300. If the server is full, tries again after the time that it states. */
  async #request(method, address, body, {signal, headers = {}} = {}) {
    for (let attempt = 1;; ++attempt) {
      const response = await fetch(this.#url + address, {
        method, body, signal, headers: {Authorization: `Bearer ${this.#token}`, ...headers}, credentials: 'omit',
        redirect: 'error', cache: 'no-store', referrerPolicy: 'no-referrer'});
      this.#count(body?.size ?? body?.length ?? 0, 0);
      if (response.status < 300) return response;
      const wait = response.headers.get('Retry-After');
      if ([429, 503].includes(response.status) && /^[0-9]+$/.test(wait ?? '') && attempt < tries) {
        await response.arrayBuffer();
        await pause(Math.min(Number(wait), longestWait), signal);
        continue;
      }
      const {error} = await response.json().catch(() => ({}));
      throw new TacitRefused('refused', `${this.#url}: ${error ?? `status ${response.status}`}`);
    }
  }
}

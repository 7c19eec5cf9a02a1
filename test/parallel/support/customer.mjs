/** Calls the server for one worker and records every response. */
export class Customer {
  #url;
  #namespace;
  #transcript;
  key;

  constructor({ url, namespace, key, transcript }) {
    this.#url = url;
    this.#namespace = namespace;
    this.#transcript = transcript;
    this.key = key;
  }

  /** Makes a call such as `GET /path`; `body` is sent as JSON or a form. */
  async call(line, body, { key = this.key, headers = {} } = {}) {
    const [method, path] = line.split(" ");
    const isForm = body instanceof URLSearchParams;
    let response;
    let text;
    try {
      response = await fetch(this.#url + path, {
        method,
        redirect: "manual",
        headers: {
          authorization: `Bearer ${key}`,
          ...(isForm ? {} : { "content-type": "application/json" }),
          ...headers,
        },
        ...(body === undefined ? {} : { body: isForm ? body : JSON.stringify(body) }),
      });
      text = await response.text();
    } catch (error) {
      // A fault cut the connection; a refused connection is an error.
      if (!["UND_ERR_SOCKET", "ECONNRESET"].includes(error.cause?.code)) throw error;
      this.#transcript.note(`${line}\n  cut`);
      return undefined;
    }
    this.#transcript.answer(line, response, text);
    return text.startsWith("{") ? JSON.parse(text) : text;
  }

  /** Makes the call with the shared key and the namespace in a header. */
  byHeader(line, body, { headers = {} } = {}) {
    return this.call(line, body, {
      key: "sk_test_sandbox",
      headers: { ...headers, "sandbox-namespace": this.#namespace },
    });
  }

  control(line, body) {
    const [method, path] = line.split(" ");
    return this.call(`${method} /_sandbox${path}`, body);
  }

  advance(by) {
    return this.control("POST /clock/advance", { by });
  }

  /** Waits until all due deliveries were received. */
  idle() {
    return this.control("POST /wait", { for: "idle" });
  }

  /** Opens the event stream. `stop()` returns all messages up to the named event. */
  async stream() {
    const abort = new AbortController();
    const response = await fetch(`${this.#url}/_sandbox/stream?namespace=${this.#namespace}`, {
      signal: abort.signal,
    });
    const reader = response.body.pipeThrough(new TextDecoderStream()).getReader();
    let text = "";
    return async (last) => {
      while (!text.includes(last)) {
        const { value, done } = await reader.read();
        if (done) throw new Error(`the stream ended before ${last}`);
        text += value;
      }
      abort.abort();
      return text.slice(0, text.indexOf(last)).split("\n\n").slice(0, -1);
    };
  }
}

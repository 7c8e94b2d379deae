// The engine in its worker: one question at a time, each of which can be stopped.

/** Milliseconds that a stopped search gets before its worker is replaced. */
const PATIENCE = 600;

/** The answer to a question that was stopped before there was one. */
export class Stopped extends Error {}

export class Engine {
  /** `module` is the compiled engine. */
  constructor(module) {
    this.module = module;
    this.source = URL.createObjectURL(new Blob([document.getElementById("worker").textContent], { type: "text/javascript" }));
    this.count = 0;
    this.running = null;
    this.start();
  }

  start() {
    this.worker = new Worker(this.source);
    this.worker.onmessage = ({ data }) => this.receive(data);
    this.worker.onerror = (event) => this.fail(event.message);
    this.canLook = false;
    this.worker.postMessage({ module: this.module, flag: URL.createObjectURL(new Blob(["go"])) });
  }

  /** Whether a question is being answered. */
  get isBusy() {
    return this.running !== null;
  }

  /** Asks; `onReport` gets what is found on the way. A running question is stopped first. */
  async ask(question, onReport = () => {}) {
    const mine = ++this.count;
    while (this.running) {
      const { done } = this.running;
      this.stop();
      await done.catch(() => {});
    }
    // Another question came while this one waited.
    if (mine !== this.count) throw new Stopped();
    const flag = URL.createObjectURL(new Blob(["go"]));
    const running = { id: mine, flag, onReport, isStopped: false };
    running.done = new Promise((resolve, reject) => Object.assign(running, { resolve, reject }));
    this.running = running;
    this.worker.postMessage({ id: mine, flag, question });
    return running.done;
  }

  /**
   * Stops the running question, if there is one. Its answer is what it has found so far. A worker that cannot be told to stop
   * is replaced at once, and what it remembered is lost.
   */
  stop() {
    const { running } = this;
    if (!running || running.isStopped) return;
    running.isStopped = true;
    URL.revokeObjectURL(running.flag);
    if (this.canLook) running.timer = setTimeout(() => this.replace(new Stopped()), PATIENCE);
    else this.replace(new Stopped());
  }

  /** Stops whatever runs and whatever waits. */
  cancel() {
    this.count += 1;
    this.stop();
  }

  receive(data) {
    const { running } = this;
    if (data.ready) this.canLook = data.canLook;
    if (!running || data.id !== running.id) return;
    if (data.report?.panic) {
      this.fail(data.report.panic);
    } else if (data.report) {
      const { line } = data.report;
      if (line?.rank === 1) running.found = { best: line.pv[0], lines: [line] };
      if (!running.isStopped) running.onReport(data.report);
    } else if (data.broken) {
      this.fail(data.answer.error);
    } else {
      this.finish();
      if (data.answer.error !== undefined) running.reject(new Error(data.answer.error));
      else if (data.answer.ok === null && running.isStopped) running.reject(new Stopped());
      else running.resolve(data.answer.ok);
    }
  }

  /** Forgets the running question. */
  finish() {
    clearTimeout(this.running.timer);
    URL.revokeObjectURL(this.running.flag);
    this.running = null;
  }

  fail(message) {
    this.replace(new Error(message));
  }

  /** Replaces the worker; the running question fails. */
  replace(error) {
    this.worker.terminate();
    this.start();
    const { running } = this;
    if (!running) return;
    this.finish();
    if (error instanceof Stopped && running.found) running.resolve(running.found);
    else running.reject(error);
  }
}

// The engine in its worker: one question at a time, each of which can be stopped.

/** Milliseconds that a stopped search gets before its worker is replaced. */
const PATIENCE = 1000;

/** The answer to a question that was stopped before there was one. */
export class Stopped extends Error {}

export class Engine {
  /** `module` is the compiled engine. */
  constructor(module) {
    this.module = module;
    this.source = URL.createObjectURL(new Blob([document.getElementById("worker").textContent], { type: "text/javascript" }));
    this.count = 0;
    /** The question that was asked last. */
    this.latest = null;
    this.running = null;
    this.start();
  }

  /** Starts the worker that keeps what it has searched from question to question. */
  start() {
    this.worker = this.open();
    this.canStop = false;
  }

  /** A new worker. */
  open() {
    const worker = new Worker(this.source);
    worker.onmessage = ({ data }) => this.receive(data, worker);
    worker.onerror = (event) => this.fail(event.message);
    worker.postMessage({ module: this.module, flag: URL.createObjectURL(new Blob(["go"])) });
    return worker;
  }

  /** Whether a question is being answered. */
  get isBusy() {
    return this.running !== null;
  }

  /**
   * Asks; `onReport` gets what is found on the way. A running question is stopped first. What `isApart` is answered by a worker of
   * its own, which ends with the question: for whatever does not look whether to stop, and needs nothing from other searches.
   */
  async ask(question, onReport = () => {}, isApart = false) {
    const mine = ++this.count;
    this.latest = question;
    while (this.running) {
      const { done } = this.running;
      this.stop();
      await done.catch(() => {});
    }
    // Another question came while this one waited.
    if (mine !== this.count) throw new Stopped();
    const flag = URL.createObjectURL(new Blob(["go"]));
    const running = { id: mine, flag, onReport, isStopped: false, worker: isApart ? this.open() : this.worker };
    running.done = new Promise((resolve, reject) => Object.assign(running, { resolve, reject }));
    this.running = running;
    running.worker.postMessage({ id: mine, flag, question });
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
    if (running.worker !== this.worker || !this.canStop) {
      this.end(new Stopped());
      return;
    }
    running.worker.postMessage({ stop: running.id });
    URL.revokeObjectURL(running.flag);
    running.timer = setTimeout(() => this.end(new Stopped()), PATIENCE);
  }

  /** Stops whatever runs and whatever waits. */
  cancel() {
    this.count += 1;
    this.stop();
  }

  receive(data, worker) {
    const { running } = this;
    if (data.ready && worker === this.worker) this.canStop = data.canStop;
    if (!running || data.id !== running.id) return;
    if (data.report?.panic) {
      this.fail(data.report.panic);
    } else if (data.report) {
      const { line, leads } = data.report;
      if (line?.rank === 1) running.found = { best: line.pv[0], lines: [line] };
      // The move that an unfinished iteration prefers.
      else if (leads !== undefined && running.found) running.found.best = leads;
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

  /** Forgets the running question, and its worker if that is its own. */
  finish() {
    const { timer, flag, worker } = this.running;
    clearTimeout(timer);
    URL.revokeObjectURL(flag);
    if (worker !== this.worker) worker.terminate();
    this.running = null;
  }

  fail(message) {
    this.end(new Error(message));
  }

  /** Ends the worker that is busy; the running question fails. */
  end(error) {
    const { running } = this;
    if (!running || running.worker === this.worker) {
      this.worker.terminate();
      this.start();
    }
    if (!running) return;
    // The place of the worker that keeps its memory is taken by now.
    this.finish();
    if (error instanceof Stopped && running.found) running.resolve(running.found);
    else running.reject(error);
  }
}

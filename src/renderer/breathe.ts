/**
 * Waits for a new task. The bundler puts it at the end of the code that both pages share, so that this code runs in one
 * task and the window's own in the next: in a single task the page would be blocked for as long as both take.
 */
await scheduler.yield();

export {};

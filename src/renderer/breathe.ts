/**
 * Waits for a new task. The bundler puts it at the end of the code that both pages begin with, so that this code runs in
 * one task and the window's own in the next: in one, the page would stand still for as long as both take.
 */
await scheduler.yield();

export {};

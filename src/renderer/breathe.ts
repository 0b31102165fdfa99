/**
 * Waits for a new task. The bundler puts this module at the end of the code that both pages share, so that the
 * shared code runs in one task and the window's own code in the next. A single task would block the page for the
 * time of both.
 */
await scheduler.yield();

export {};

import { spawn, spawnSync } from 'node:child_process';

/** Ignores every signal, as do its children: one detached, one that it waits for synchronously. */
for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) process.on(signal, () => {});
spawn('sh', ['-c', 'trap "" INT TERM HUP; sleep 3001'], { detached: true, stdio: 'ignore' });
spawnSync('sh', ['-c', 'trap "" INT TERM HUP; sleep 3002']);

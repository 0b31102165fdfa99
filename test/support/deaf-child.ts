import { spawn, spawnSync } from 'node:child_process';

/** Takes no notice of any signal, nor do those it starts: one apart from it, one that it waits for without a turn. */
for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) process.on(signal, () => {});
spawn('sh', ['-c', 'trap "" INT TERM HUP; sleep 3001'], { detached: true, stdio: 'ignore' });
spawnSync('sh', ['-c', 'trap "" INT TERM HUP; sleep 3002']);

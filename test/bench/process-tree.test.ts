import { spawn } from 'node:child_process';
import { expect, test } from 'vitest';
import { until } from '#test/support/app-steps.ts';
import { memoryOf, processTree, watchCpu } from './process-tree.ts';

test.skipIf(process.platform !== 'linux')('a child of a child is counted, until it ends', async () => {
	const child = spawn('sh', ['-c', 'sleep 60 & wait'], { stdio: 'ignore' });
	const pid = child.pid ?? 0;
	try {
		await until('the grandchild', () => processTree(pid).length === 2);
		expect(processTree(process.pid)).toEqual(expect.arrayContaining([...processTree(pid)]));
		expect(memoryOf(process.pid)).toBeGreaterThan(memoryOf(pid));
	} finally {
		for (const one of processTree(pid)) process.kill(one);
	}
});

test.skipIf(process.platform !== 'linux')('work is seen as use of the processor', () => {
	const used = watchCpu(process.pid);
	const before = process.cpuUsage();
	let sum = 0;
	while (process.cpuUsage(before).user < 200_000) sum += Math.sqrt(sum + 1);
	expect(used()).toBeGreaterThan(1);
});

/**
 * How long Start takes: from the press to the first audio packet and to the first translated sound, with
 * a session made ahead and without, over REST delays, beside the service vendor's own SDK. Everything runs
 * here, against the sandbox. The arm `socket` is another measurement (`socket.ts`). `npm run bench -- [--long] [--starts N] [--delays 0,150] [--arms cold,warm]`
 */
import { existsSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { cpus, loadavg, tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { startSandbox } from '#sandbox/sandbox.ts';
import { writeWav } from '#stand-in/drive/wav.ts';
import { type Arm, launchOurs } from './start-ours.ts';
import { report, type Start } from './start-report.ts';
import { launchVendor, VENDOR_LIBRARY } from './start-vendor.ts';
import { createRandom } from './statistics.ts';

const { values } = parseArgs({
	options: {
		long: { type: 'boolean', default: false },
		starts: { type: 'string' },
		delays: { type: 'string', default: '0,50,150,400' },
		arms: { type: 'string', default: 'cold,warm,vendor,socket' },
		out: { type: 'string', default: 'out/bench' },
	},
});
const count = Number(values.starts ?? (values.long ? 30 : 10));
const delays = values.delays.split(',').map(Number);
const asked = values.arms.split(',');
const wanted = asked.filter((arm) => arm !== 'socket' && (arm !== 'vendor' || existsSync(VENDOR_LIBRARY)));
if (asked.includes('socket')) await import('./socket.ts');
if (wanted.length === 0) process.exit();
const folder = mkdtempSync(join(tmpdir(), 'dragoman-bench-'));
const RATE = 48_000;
/** Short bursts from the very beginning, so that what is measured is the start and not the speaker. */
const BURST_S = 0.5;
const PAUSE_S = 0.7;
const tone = Int16Array.from({ length: RATE * 60 }, (_, index) =>
	(index / RATE) % (BURST_S + PAUSE_S) < BURST_S ? 12_000 * Math.sin((2 * Math.PI * 440 * index) / RATE) : 0,
);
const microphone = join(folder, 'tone.wav');
writeFileSync(microphone, writeWav(RATE, tone));

const sandbox = await startSandbox({ interpreter: 'echo' });
const parts = { sandbox, microphone };
const ours = wanted.some((arm) => arm !== 'vendor') ? await launchOurs(parts) : null;
const vendor = wanted.includes('vendor') ? await launchVendor(parts) : null;
const arms: Record<string, Arm> = { ...ours?.arms, ...vendor?.arms };
const starts: Start[] = [];
const random = createRandom(1);
const say = (text: string) => process.stderr.write(`${text}\n`);
try {
	// The first ones fill caches; they are not counted.
	for (const arm of wanted) await arms[arm]?.(0);
	for (let round = 1; round <= count; round++) {
		for (const delayMs of shuffled(delays)) {
			sandbox.setFault(`slow:${delayMs}`, delayMs > 0);
			if (delayMs === 0) sandbox.setFault('slow', false);
			for (const name of shuffled(wanted)) {
				const seen = await arms[name]?.(delayMs);
				if (seen) starts.push({ arm: name, delayMs, ...seen });
			}
			sandbox.setFault('slow', false);
		}
		say(`round ${round} of ${count}, load ${loadavg()[0]?.toFixed(1)}`);
	}
} finally {
	await ours?.close();
	await vendor?.close();
	await sandbox.close();
	rmSync(folder, { recursive: true, force: true });
}

const machine = `${cpus().length} × ${cpus()[0]?.model ?? 'CPU'}, load ${loadavg()[0]?.toFixed(1)}`;
const run = { at: new Date().toISOString().slice(0, 16), machine, starts };
mkdirSync(values.out, { recursive: true });
writeFileSync(join(values.out, 'start.json'), `${JSON.stringify(run, null, '\t')}\n`);
const text = report(run);
writeFileSync(join(values.out, 'start.md'), `${text}\n`);
process.stdout.write(`${text}\n`);

function shuffled<Value>(list: readonly Value[]): Value[] {
	return list
		.map((value) => ({ value, at: random() }))
		.sort((one, other) => one.at - other.at)
		.map(({ value }) => value);
}

import { spawnSync } from 'node:child_process';
import { describe, expect, it } from 'vitest';
import { createClips } from '#sandbox/canned/phrases.ts';
import { notRun } from '#test/support/not-run.ts';
import { runChild } from './codec.ts';
import { createSynthesizer, espeak } from './synthesizer.ts';

const has = (program: string, option: string) => spawnSync(program, [option]).status === 0;
const noEspeak = !has('espeak-ng', '--version');
const noFfmpeg = !has('ffmpeg', '-version');

function peak(samples: ArrayLike<number>): number {
	return Array.from(samples).reduce((most, sample) => Math.max(most, Math.abs(sample)), 0);
}

describe('the synthesizer', () => {
	it('decodes a clip to as long as it is', async () => {
		const synthesizer = createSynthesizer();
		const packets = createClips().packets('es', 1);
		const samples = await synthesizer.samples(packets);
		expect(samples.length / 24_000).toBeCloseTo((packets.length * 20) / 1000, 1);
		expect(peak(samples)).toBeGreaterThan(3000);
		synthesizer.close();
	});

	it('gives back frames of PCM as they were, and tells them from Opus', async () => {
		const synthesizer = createSynthesizer();
		const samples = Int16Array.from({ length: 1000 }, (_, at) => at - 500);
		const frames = synthesizer.frames(samples);
		expect(frames.map((frame) => frame.length)).toEqual([960, 960, 80]);
		expect(frames.every((frame) => synthesizer.isFrame(frame))).toBe(true);
		expect(synthesizer.isFrame(Uint8Array.from(frames[0] ?? []))).toBe(false);
		expect(await synthesizer.samples(frames)).toEqual(samples);
		synthesizer.close();
	});

	it('says so when a placeholder spoke: no such voice, or none wanted', async () => {
		const synthesizer = createSynthesizer();
		for (const [language, placeholder] of [
			['qq', false],
			['es', true],
		] as const) {
			const { samples, note } = await synthesizer.read('Hola.', language, { placeholder });
			expect(note).toContain('espeak-ng');
			expect(peak(samples)).toBeGreaterThan(0.1);
		}
		synthesizer.close();
	});

	it.skipIf(noEspeak && notRun('really spoken texts', 'espeak-ng is not installed'))(
		'really speaks, whatever is in the text, and faster when asked',
		async () => {
			const synthesizer = createSynthesizer();
			const hostile = '--stdout; $(touch /tmp/never) `id` \0 <speak>\n-w /tmp/never.wav "quoted"';
			expect((await synthesizer.read(hostile, 'en-us')).note).toBeNull();
			const text = 'Esto no lo ha dicho nadie todavía.';
			const slow = await synthesizer.read(text, 'es');
			const fast = await synthesizer.read(text, 'es', { tempo: 2 });
			expect(fast.samples.length).toBeLessThan(slow.samples.length * 0.75);
			synthesizer.close();
		},
	);

	it.skipIf((noEspeak || noFfmpeg) && notRun('speech for rooms', 'espeak-ng or ffmpeg is not installed'))(
		'makes Opus for rooms of a text',
		async () => {
			const synthesizer = createSynthesizer();
			const reading = await synthesizer.readOpus('Esto no lo ha dicho nadie todavía.', 'es');
			const samples = await synthesizer.samples(reading?.packets ?? []);
			expect(samples.length / 24_000).toBeGreaterThan(1);
			expect(peak(samples)).toBeGreaterThan(1000);
			const cloned = await synthesizer.readOpus('Esto no lo ha dicho nadie todavía.', 'es', {
				timbre: 'cloned',
			});
			expect(cloned?.packets).not.toEqual(reading?.packets);
			synthesizer.close();
		},
	);

	it('does not take a language for an option', async () => {
		expect(await espeak('Hola.', '--version')).toBeNull();
		expect(await espeak('Hola.', '../../etc')).toBeNull();
	});
});

it('gives null for a program that is not there or fails', async () => {
	expect(await runChild('no-such-program-anywhere', [], Buffer.from('x'))).toBeNull();
	expect(await runChild(process.execPath, ['-e', 'process.exit(3)'], Buffer.alloc(1_000_000))).toBeNull();
	expect(
		await runChild(process.execPath, ['-e', 'process.stdin.pipe(process.stdout)'], Buffer.from('hi')),
	).toEqual(Buffer.from('hi'));
});

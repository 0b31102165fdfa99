import { loadavg } from 'node:os';
import { setTimeout as wait } from 'node:timers/promises';
import { CLEAN, hardships, NARROW } from '#test/support/shaper/profiles.ts';
import type { Bench, BenchOptions, BenchResult } from './bench.ts';
import { type Callers, openCallers } from './callers.ts';
import { arrived, LOSSY, reportTexts, saidTo, type TextWindow } from './line-texts-report.ts';
import { installTextProbe, type TextSlot } from './text-probe.ts';

const CLEAN_MS = 30_000;
const LOSSY_MS = 75_000;
const NARROW_MS = 100_000;
/** Pause between two lines, until nothing from the one before is in flight. */
const PAUSE_MS = 10_000;
/** By then everything that the far side still retransmits has come; its sixth attempt is after 31 s. */
const STRAGGLERS_MS = 65_000;
/** One run on a lossy line says little; one on the narrow line says enough, and takes long. */
const ROUNDS = { short: { lossy: 3, narrow: 1 }, long: { lossy: 5, narrow: 4 } };

/** What a plain client asks for: the texts of Dragoman's own task in its default pace. */
const TASK = {
	message_type: 'set_task',
	data: {
		input_stream: { content_type: 'audio', source: { type: 'webrtc' } },
		output_stream: { content_type: 'audio', target: { type: 'webrtc' } },
		pipeline: {
			transcription: { source_language: 'en' },
			translations: [{ target_language: 'es', translate_partial_transcriptions: false }],
			allowed_message_types: ['partial_transcription', 'validated_transcription', 'translated_transcription'],
		},
	},
};

export const lineTexts: Bench = {
	name: 'line-texts',
	title: 'On a bad line: how late the texts are',
	about: `The same two networks, the built app and a bare page, each in a call with an interpreter that says its texts through the
room's data channel, as the service does: four unfinished ones a second while somebody speaks, and each finished sentence with its
translation. The bare page asks once for the texts that Dragoman asks for on a good line, and takes what comes.

The lateness of a text is the time from its arrival at a participant of the same room at the far end, where nothing is late,
to the entry of the data channel's callback at the near end. All finished texts said in the time count, from the first second of the bad
line on, even if they come after it or never. **20 % loss** and **29 % in bursts** affect both at the same time, 20 ms each way. **20 kbit/s**,
with the queue of a modem, has one call at a time; what the interpreter sends down is then counted from half a minute on, and what had not
come after 100 s comes late on a clean line. Intervals are over whole runs of ${LOSSY_MS / 1000} s: in each, one packet that is lost several
times in a row holds up all that follows.

The channel's sender is the room's server: it keeps the order, retransmits what was lost after 1, 3, 7, 15 and 31 s, one packet at
a time, and goes on from there (pion/sctp). No client can make it try sooner; a client can only keep that queue short.
So where some 15 % are lost, a task without unfinished texts is set, and one with them again when the line is better.`,
	run: measure,
};

async function measure({ long, rounds, say }: BenchOptions): Promise<BenchResult> {
	const usual = long ? ROUNDS.long : ROUNDS.short;
	const count = rounds === undefined ? usual : { lossy: rounds, narrow: rounds };
	const lossyMs = CLEAN_MS + 2 * (LOSSY_MS + STRAGGLERS_MS + PAUSE_MS);
	const narrowMs = 2 * (NARROW_MS + 30_000);
	const allS = (count.lossy * lossyMs + count.narrow * narrowMs) / 1000;
	const callers = await openCallers(Math.min(2400, 60 + allS), installTextProbe);
	if ('missing' in callers) {
		say(callers.missing);
		return { markdown: `Left out: ${callers.missing}.`, data: null, goals: [] };
	}
	const { line, ours, bare } = callers;
	const windows: TextWindow[] = [];
	const askBare = () => bare.page.evaluate((task) => window.say(task), TASK);
	try {
		await askBare();
		for (let round = 1; round <= count.lossy; round++) {
			await line.set(CLEAN);
			await wait(PAUSE_MS);
			windows.push(...(await look(callers, 'clean', CLEAN_MS)));
			for (const name of LOSSY) {
				await line.set(hardships[name], 1000 * round);
				windows.push(...(await look(callers, name, LOSSY_MS)));
				await line.set(CLEAN);
				await wait(PAUSE_MS);
				say(`round ${round} of ${count.lossy}, ${name}, load ${loadavg()[0]?.toFixed(1)}`);
			}
		}
		for (let round = 1; round <= count.narrow; round++) {
			for (const name of ['ours', 'bare'] as const) {
				const other = name === 'ours' ? bare : ours;
				await other.hangUp();
				await line.set(NARROW, 1000 * round);
				windows.push(...(await look(callers, '20 kbit/s', NARROW_MS, [name])));
				await line.set(CLEAN);
				await wait(PAUSE_MS);
				await other.callAgain();
				if (other === bare) await askBare();
				await wait(PAUSE_MS);
			}
			say(`round ${round} of ${count.narrow}, 20 kbit/s, load ${loadavg()[0]?.toFixed(1)}`);
		}
		return reportTexts(windows);
	} finally {
		await callers.close();
	}
}

/** The texts said during the next `lengthMs`; those in flight at the end are awaited on a clean line. */
async function look(
	{ line, ours, bare, said }: Callers,
	name: TextWindow['line'],
	lengthMs: number,
	arms: readonly TextWindow['arm'][] = ['ours', 'bare'],
): Promise<TextWindow[]> {
	const came = { ours: [] as TextSlot[], bare: [] as TextSlot[] };
	const take = async () => {
		for (const arm of arms)
			came[arm].push(...(await { ours, bare }[arm].page.evaluate(() => window.__texts())));
	};
	await Promise.all([take(), said()]);
	came.ours = [];
	came.bare = [];
	const fromMs = Date.now();
	await wait(lengthMs);
	const texts = await said();
	const toMs = Date.now();
	if (name !== 'clean') await line.set(CLEAN);
	const saidBy = (arm: TextWindow['arm']) => saidTo(texts, came[arm]);
	const isOver = () => arms.every((arm) => arrived(saidBy(arm), came[arm]));
	do {
		await wait(500);
		await take();
	} while (!isOver() && Date.now() < toMs + STRAGGLERS_MS);
	return arms.map((arm) => ({ line: name, arm, fromMs, toMs, said: saidBy(arm), came: came[arm] }));
}

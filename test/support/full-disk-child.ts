import {
	closeSync,
	existsSync,
	openSync,
	readdirSync,
	readFileSync,
	rmSync,
	statSync,
	writeSync,
} from 'node:fs';
import { join } from 'node:path';
import { createHistory } from '#main/history/history.ts';
import { createRecordings, type RecordingEnds } from '#main/recording/recording.ts';
import { createLedgerFile } from '#main/sessions/ledger.ts';
import { openSettingsFile } from '#main/settings/settings-file.ts';
import { createSystemClock } from '#main/system-clock.ts';
import type { RecordedFrame } from '#shared/host/recording.ts';
import { silentLogger } from '#shared/lib/log.ts';

/**
 * Everything that main writes, on a small file system of its own: while there is room, when there is none, and when
 * there is again. Prints, as JSON, what was answered each time and what was on the disk while it
 * was full.
 */
const [folder = ''] = process.argv.slice(2);
const clock = createSystemClock();
const filler = join(folder, 'filler');

/** To the last byte. */
function fill(): void {
	const file = openSync(filler, 'w');
	for (let size = 65_536; size >= 1; ) {
		try {
			if (writeSync(file, new Uint8Array(size)) < size) size >>= 1;
		} catch {
			size >>= 1;
		}
	}
	closeSync(file);
}

const ledger = createLedgerFile({ folder, clock, log: silentLogger });
const settings = openSettingsFile(folder, clock);
const choice = () => ({ history: 'keep' as const, historyDays: 30 });
const history = createHistory({ folder, clock, log: silentLogger, choice });
const begun = await history.answers['history.begin']({ mode: 'solo', agoMs: 0 });
if (!begun.ok) throw new Error(begun.error.kind);
const { id } = begun.value;
/** The problem that the history announces. */
let said: string | null = null;
history.listen(({ problem }) => {
	said = problem?.kind ?? null;
});

const told: unknown[] = [];
let send: (frame: RecordedFrame) => void = () => {};
const ends: RecordingEnds = {
	control: { post: (value) => void told.push(value), listen() {}, closed() {}, close() {} },
	capture: {
		listen(heard) {
			send = heard;
		},
		close() {},
	},
	voice: { close() {} },
};
const talk = join(folder, 'talk.wav');
const recordings = createRecordings({
	choosePlace: async () => talk,
	createPorts: () => ends,
	begun() {},
	clock,
	log: silentLogger,
});
const recording = { stream: 'one', suggestedName: 'talk.wav', rateHz: 1000 };
if (!(await recordings.answers['recording.begin'](recording)).ok) throw new Error('no recording');
/** Recorded so far, in samples per channel. */
let recorded = 0;
function record(samples: number): void {
	send({ at: recorded, samples: new Int16Array(samples * 2).fill(7) });
	recorded += samples;
}

/** The answer to each: null = it was written. */
async function writeAll(round: number) {
	const place = {
		row: `r${round}`,
		part: '0',
		kind: 'source',
		language: 'en',
		startMs: 0,
		endMs: 1,
		mark: '',
	};
	// Longer than the free rest of a page that is on the disk already.
	const text = `round ${round} ${'word '.repeat(2000)}`;
	const captions = [{ key: `k${round}`, ...place, text, final: true }];
	const appended = await history.answers['history.append']({ id, captions });
	const entry = {
		intent: `intent-${round}`,
		account: 'a'.repeat(5000),
		state: 'intent' as const,
		id: null,
		owner: ledger.owner,
		createdWall: 1,
		createdServer: 1,
		expiresAt: null,
		lostAt: null,
	};
	const changed = await ledger.change((all) => [...all, entry]);
	settings.write({ captionSize: 20 + round });
	return {
		history: appended.ok ? null : appended.error.kind,
		historyState: said,
		why: !appended.ok && appended.error.kind === 'storage-failed' ? appended.error.what : '',
		ledger: changed.ok ? null : changed.error.kind,
		settings: settings.problem()?.kind ?? null,
		captionSize: settings.stored().captionSize,
	};
}

settings.write({ captionSize: 20 });
const before = await writeAll(1);
record(2000);
// Made with the first sound.
while (!existsSync(talk) || statSync(talk).size < 8000) await new Promise((done) => setTimeout(done, 5));
fill();
const full = await writeAll(2);
record(50_000);
await recordings.answers['recording.end']({ stream: 'one' });
const sound = readFileSync(talk);
/** While it is full: what another program would read. */
const onDisk = {
	ledger: JSON.parse(readFileSync(join(folder, 'ledger.json'), 'utf8')).entries.length,
	settings: JSON.parse(readFileSync(join(folder, 'settings.json'), 'utf8')).captionSize,
	backup: JSON.parse(readFileSync(join(folder, 'settings.json.bak'), 'utf8')).captionSize,
	names: readdirSync(folder).filter((name) => /\.(tmp|part)$|broken/.test(name)),
	soundSays: sound.readUInt32LE(40),
	soundHas: sound.length - 44,
};
rmSync(filler);
const after = await writeAll(3);
const read = await history.answers['history.read']({ id, after: null, limit: 10 });
history.close();
ledger.close();
const reopened = createHistory({ folder, clock, log: silentLogger, choice });
const state = await reopened.answers['history.state'](undefined);
reopened.close();
const result = {
	before,
	full,
	onDisk,
	after,
	told,
	kept: read.ok ? read.value.captions.map(({ key }) => key) : [],
	ledger: JSON.parse(readFileSync(join(folder, 'ledger.json'), 'utf8')).entries.length,
	problem: state.ok ? state.value.problem : state.error,
};
process.stdout.write(`${JSON.stringify(result)}\n`);
process.exit(0);

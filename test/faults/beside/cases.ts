import { setTimeout as wait } from 'node:timers/promises';
import type { Sandbox } from '#sandbox/sandbox.ts';
import { until } from '#test/support/app-steps.ts';
import type { LivekitServer } from '#test/support/livekit-server.ts';
import type { Front } from './front.ts';
import type { Subject } from './subjects.ts';

/** One subject with a service of its own. */
export interface Stage {
	readonly subject: Subject;
	readonly sandbox: Sandbox;
	readonly front: Front;
	/** The rooms' server, where the case asked for a real one. */
	readonly livekit: LivekitServer | null;
}

/** A fault, and what must be seen of a client of any kind. */
export interface Case {
	/** Of the catalogue. */
	readonly row: number;
	/** In words; also its name. */
	readonly fault: string;
	readonly lookedFor: string;
	/** Switched on in the sandbox from the beginning. */
	readonly faults?: readonly string[];
	readonly realRooms?: boolean;
	/** Rejects, saying what was not seen. */
	see(stage: Stage): Promise<void>;
}

const creates = ({ front }: Stage) =>
	front.asked.filter(({ method, path }) => method === 'POST' && path.endsWith('/session'));

function must(holds: boolean, otherwise: string): void {
	if (!holds) throw new Error(otherwise);
}

const microphones = ({ subject }: Stage) => subject.page.evaluate(() => window.__watch.microphones());

async function isAllOver(stage: Stage, limitMs = 8000): Promise<void> {
	await until('the microphone is let go', async () => (await microphones(stage)) === 0, limitMs);
	await until('no session is left', () => stage.sandbox.openSessions().length === 0, limitMs);
}

/** It ends by itself, says words like these, lets the microphone go and leaves no session. */
async function endsTold(stage: Stage, words: RegExp, limitS = 20): Promise<void> {
	await stage.subject.begin();
	await endsSaying(stage, words, limitS);
	await isAllOver(stage);
}

async function endsSaying({ subject }: Stage, words: RegExp, limitS: number): Promise<void> {
	await until('it says that it ended', async () => (await subject.state()) === 'ended', 1000 * limitS);
	await until(`it says ${words}`, async () => words.test(await subject.told()), 3000);
}

/** Texts come, from a conversation that is not over. */
async function comesAbout({ subject }: Stage, limitS = 20): Promise<void> {
	const before = await subject.texts();
	await until('texts come', async () => (await subject.texts()) > before, 1000 * limitS);
	must((await subject.state()) !== 'ended', 'it says that it ended');
}

async function beginsWell(stage: Stage, limitS = 20): Promise<void> {
	await stage.subject.begin();
	await comesAbout(stage, limitS);
}

/** After a fault in the middle: texts and a voice, again and by themselves. */
async function goesOn(stage: Stage, limitS = 30): Promise<void> {
	// What was under way when it struck does not count.
	await wait(3000);
	await comesAbout(stage, limitS);
	await until(
		'a voice is there',
		() => stage.subject.page.evaluate(() => window.__watch.voices() > 0),
		10_000,
	);
}

async function leavesNothing(stage: Stage, limitMs = 40_000): Promise<void> {
	await stage.subject.end();
	await until('no session is left', () => stage.sandbox.openSessions().length === 0, limitMs);
	await until('the microphone is let go', async () => (await microphones(stage)) === 0, 10_000);
}

const anything = /\S/;

/** Refused at the first try, with a reason that is passed on, and not asked again. */
function refused(row: number, fault: string, name: string, words: RegExp, most = 1): Case {
	return {
		row,
		fault,
		lookedFor: `ends, says why; ${most === 1 ? 'asked once only' : `asked at most ${most} times`}; microphone off, no session`,
		faults: [`${name}@create`],
		async see(stage) {
			await endsTold(stage, words);
			await wait(3000);
			must(creates(stage).length <= most, `asked ${creates(stage).length} times`);
		},
	};
}

/** The answer cannot be used; a session may have been made, which nobody can know the id of. */
function unusable(row: number, fault: string, name: string, limitS = 25): Case {
	return {
		row,
		fault,
		lookedFor: `within ${limitS} s it ends and says so, microphone off, or the conversation comes about`,
		faults: [`${name}@create:1`],
		async see(stage) {
			const { subject } = stage;
			await subject.begin();
			await until(
				'an end or a conversation',
				async () => (await subject.state()) === 'ended' || (await subject.texts()) > 0,
				1000 * limitS,
			);
			if ((await subject.state()) !== 'ended') return;
			must(anything.test(await subject.told()), 'nothing is said');
			await until('the microphone is let go', async () => (await microphones(stage)) === 0, 5000);
		},
	};
}

/** An oddity that changes nothing. */
function harmless(row: number, fault: string, ...faults: readonly string[]): Case {
	return {
		row,
		fault,
		lookedFor: 'texts come, and after Stop no session is left',
		faults,
		async see(stage) {
			await beginsWell(stage);
			await leavesNothing(stage);
		},
	};
}

/** The service asks for patience, and is well afterwards. */
function patient(row: number, fault: string, name: string, waitMs: number): Case {
	return {
		row,
		fault,
		lookedFor: `not asked again sooner; then the conversation comes about by itself`,
		faults: [`${name}@create:1`],
		async see(stage) {
			await beginsWell(stage);
			const [first, second] = creates(stage);
			must(first !== undefined && second !== undefined, 'not asked again');
			const gapMs = (second?.atMs ?? 0) - (first?.atMs ?? 0);
			must(gapMs >= waitMs - 100, `asked again after ${gapMs.toFixed(0)} ms`);
		},
	};
}

/** Something happens in the room while it is live. */
function strikes(row: number, fault: string, faults: readonly string[]): Case {
	return {
		row,
		fault,
		lookedFor: 'texts and a voice go on by themselves',
		faults,
		async see(stage) {
			await beginsWell(stage);
			// They strike 5 s after the client came.
			await wait(7000);
			await goesOn(stage);
		},
	};
}

const rest: readonly Case[] = [
	refused(1, '401 on create', '401', /key|401|unauthor/i),
	refused(3, '402 on create', '402', /credit|pay|402|balance|quota/i),
	refused(4, '403 on create', '403', /may not|right|403|forbidden|allow|permi/i),
	refused(6, '409 on create', '409', /session|409|conflict|way/i, 2),
	patient(8, '429, Retry-After: 2, once', '429-after', 2000),
	refused(8, '429, Retry-After: a day', '429-day', /later|slow|many|busy|wait|429/i),
	{
		row: 9,
		fault: '429 for ever',
		lookedFor: 'ends within 60 s, says why; at most 5 requests in that time; microphone off, no session',
		faults: ['429@create'],
		async see(stage) {
			await endsTold(stage, /later|slow|many|busy|wait|429/i, 60);
			must(creates(stage).length <= 5, `asked ${creates(stage).length} times`);
		},
	},
	patient(10, '503, Retry-After: 1, once', '503-after', 1000),
	refused(10, '500 on create', '500', anything, 2),
	{
		row: 12,
		fault: 'nobody listens for half a second',
		lookedFor: 'the conversation comes about by itself',
		async see(stage) {
			await stage.front.gone();
			await stage.subject.begin();
			await wait(500);
			await stage.front.back();
			await comesAbout(stage);
		},
	},
	unusable(13, 'no answer on create', 'hang', 30),
	unusable(14, 'answer cut half way', 'cut-body', 30),
	unusable(15, 'a byte a second, without end', 'drip', 30),
	{
		...unusable(16, 'a body of 200 MB', 'huge-body', 30),
		lookedFor: 'ends within 30 s and says so; at most 8 MB are taken',
		async see(stage) {
			await unusable(16, '', 'huge-body', 30).see(stage);
			must(stage.front.givenBytes <= 8_000_000, `${Math.round(stage.front.givenBytes / 1e6)} MB taken`);
		},
	},
	unusable(16, 'JSON nested 100 000 deep', 'deep-body'),
	unusable(17, 'not JSON', 'malformed-json'),
	unusable(17, 'HTML', 'html'),
	unusable(17, 'an empty body', 'empty-body'),
	harmless(17, 'a byte order mark', 'bom'),
	harmless(18, 'fields nobody knows', 'extra-fields'),
	unusable(19, 'wrong types', 'wrong-types'),
	unusable(19, 'ok: false with 201', 'not-ok'),
	{
		row: 20,
		fault: '307 to another origin',
		lookedFor: 'the key is not sent there; ends and says so, microphone off',
		async see(stage) {
			const other = await stage.front.redirect();
			await endsTold(stage, anything);
			must(!other.sawKey(), 'the key was sent there');
		},
	},
	unusable(20, 'a redirect to itself, for ever', 'redirect-loop'),
	harmless(24, '200 instead of 201 and 204', 'status-200-create'),
];

const life: readonly Case[] = [
	{
		row: 26,
		fault: 'session deleted while live',
		lookedFor: 'texts and a voice go on by themselves',
		async see(stage) {
			await beginsWell(stage);
			const { api, key } = stage.sandbox.addresses;
			for (const { id } of stage.sandbox.openSessions())
				await fetch(`${api}/session-storage/sessions/${id}`, {
					method: 'DELETE',
					headers: { authorization: `Bearer ${key}` },
				});
			await goesOn(stage);
		},
	},
	refused(28, 'all sessions of the plan in use', '403-limit', /session|limit/i, 2),
	...(['503', 'drop-connection'] as const).map(
		(name): Case => ({
			row: 29,
			fault: name === '503' ? 'DELETE refused with 503 once' : 'DELETE cut off once',
			lookedFor: 'no session is left 40 s after Stop, microphone off',
			faults: [`${name}@delete:1`],
			async see(stage) {
				await beginsWell(stage);
				await leavesNothing(stage);
			},
		}),
	),
	{
		row: 35,
		fault: 'Stop while the session is being made',
		lookedFor: 'no session and no microphone, now and 5 s later',
		faults: ['slow@create:2000'],
		async see(stage) {
			await stage.subject.begin();
			await until('the session is asked for', () => creates(stage).length > 0, 10_000);
			await wait(500);
			await stage.subject.end();
			await wait(6000);
			await isAllOver(stage, 10_000);
			await wait(5000);
			await isAllOver(stage, 0);
		},
	},
	{
		row: 94,
		fault: 'the page is loaded anew while live',
		lookedFor: 'no session that nobody uses is left 30 s later',
		async see(stage) {
			await beginsWell(stage);
			await stage.subject.page.reload();
			await until(
				'no session is left that nobody uses',
				() => stage.sandbox.openSessions().every(({ connected }) => connected),
				30_000,
			);
		},
	},
];

const rooms: readonly Case[] = [
	strikes(36, 'signalling drops, media goes on', ['signal-drop']),
	strikes(37, 'signalling drops, resume refused', ['signal-drop', 'resume-refused']),
	strikes(39, 'the server asks to join afresh', ['leave-reconnect']),
	{
		row: 45,
		fault: 'at a reconnect the token is refused, for 10 s',
		lookedFor: 'texts and a voice go on by themselves',
		faults: ['signal-drop'],
		async see(stage) {
			await beginsWell(stage);
			stage.sandbox.setFault('room-refuse', true);
			await wait(16_000);
			stage.sandbox.setFault('room-refuse', false);
			await goesOn(stage, 60);
		},
	},
	{
		row: 46,
		fault: 'the room refuses the token',
		lookedFor: 'ends, says so, microphone off, no session; or the conversation comes about another way',
		faults: ['room-refuse'],
		see: endsOrComesAbout,
	},
	{
		row: 47,
		fault: 'put out of the room by its server',
		lookedFor: 'texts and a voice go on by themselves',
		realRooms: true,
		async see(stage) {
			await beginsWell(stage);
			await putOut(stage);
			await goesOn(stage);
		},
	},
	{
		row: 48,
		fault: 'the room’s server is killed, and back after a second',
		lookedFor: 'texts and a voice go on by themselves within a minute',
		realRooms: true,
		async see(stage) {
			await beginsWell(stage);
			await stage.livekit?.kill();
			await wait(1000);
			await stage.livekit?.startAgain();
			await goesOn(stage, 60);
		},
	},
	{
		row: 50,
		fault: 'the interpreter never comes',
		lookedFor: 'within 45 s it says so, or the conversation comes about another way',
		faults: ['agent-never'],
		async see(stage) {
			const { subject } = stage;
			await subject.begin();
			await until(
				'a word of it, or a conversation',
				async () =>
					(await subject.texts()) > 0 ||
					(await subject.state()) === 'ended' ||
					/not answer|no answer|interpreter|timeout|translator/i.test(await subject.told()),
				45_000,
			);
		},
	},
	strikes(50, 'the interpreter leaves', ['agent-leaves']),
	{
		row: 51,
		fault: 'two tracks of one language',
		lookedFor: 'one of them is played',
		faults: ['double-track'],
		async see(stage) {
			await beginsWell(stage);
			await wait(3000);
			const voices = await stage.subject.page.evaluate(() => window.__watch.voices());
			must(voices === 1, `${voices} are played`);
		},
	},
	{
		row: 119,
		fault: 'the room is where nobody listens',
		lookedFor: 'ends, says so, microphone off, no session; or the conversation comes about another way',
		faults: ['bad-webrtc-url'],
		see: endsOrComesAbout,
	},
	{
		row: 119,
		fault: 'the room is in a private network',
		lookedFor: 'ends, says so, microphone off, no session; or the conversation comes about another way',
		faults: ['private-webrtc-url'],
		see: endsOrComesAbout,
	},
];

async function endsOrComesAbout(stage: Stage): Promise<void> {
	const { subject } = stage;
	await subject.begin();
	await until(
		'an end or a conversation',
		async () => (await subject.state()) === 'ended' || (await subject.texts()) > 0,
		45_000,
	);
	if ((await subject.state()) !== 'ended') return;
	must(anything.test(await subject.told()), 'nothing is said');
	await isAllOver(stage);
}

async function putOut({ livekit }: Stage): Promise<void> {
	if (!livekit) throw new Error('no LiveKit server');
	const { RoomServiceClient } = await import('livekit-server-sdk');
	const service = new RoomServiceClient(livekit.url.replace('ws:', 'http:'), livekit.key, livekit.secret);
	for (const { name } of await service.listRooms())
		for (const { identity } of await service.listParticipants(name))
			if (identity.startsWith('user_')) await service.removeParticipant(name, identity);
}

const messages: readonly Case[] = [
	{
		row: 56,
		fault: 'the first set_task is lost',
		lookedFor: 'texts come within 20 s',
		faults: ['ignore-first-set-task:1'],
		see: beginsWell,
	},
	{
		row: 57,
		fault: 'set_task is refused',
		lookedFor: 'it says so within 30 s',
		faults: ['refuse-task'],
		async see({ subject }) {
			await subject.begin();
			await until(
				'it says so',
				async () => /valid|refus|task|settings|accept/i.test(await subject.told()),
				30_000,
			);
		},
	},
	harmless(58, 'the task runs after 6 s', 'slow-task:6000'),
	harmless(64, 'types and fields nobody knows', 'unknown-messages'),
	harmless(64, 'data of wrong shapes', 'garbage-data'),
	harmless(64, 'data encoded twice', 'double-encoded'),
	harmless(65, 'packets that are no messages', 'data-garbage'),
	{
		row: 67,
		fault: '1 000 errors a second',
		lookedFor: 'texts go on, and the page answers within a second',
		faults: ['error-storm'],
		async see(stage) {
			await beginsWell(stage);
			await goesOn(stage);
			const beganMs = performance.now();
			await stage.subject.page.evaluate(() => new Promise((done) => setTimeout(done, 0)));
			const tookMs = performance.now() - beganMs;
			must(tookMs < 1000, `answered after ${tookMs.toFixed(0)} ms`);
		},
	},
	harmless(79, 'end_task is never answered', 'no-end-of-stream'),
];

const devices: readonly Case[] = [
	{
		row: 81,
		fault: 'the microphone is refused',
		lookedFor: 'ends, says so, no session',
		async see(stage) {
			await stage.subject.page.evaluate(() => window.__watch.deny());
			await endsTold(stage, /micro|permi|denied|NotAllowed/i);
		},
	},
	{
		row: 84,
		fault: 'the microphone’s track ends while live',
		lookedFor: 'texts go on by themselves within 20 s',
		async see(stage) {
			await beginsWell(stage);
			await stage.subject.page.evaluate(() => window.__watch.pullOut());
			// What had been said is still translated.
			await wait(10_000);
			await comesAbout(stage, 20);
		},
	},
];

/**
 * The faults of the catalogue that a client of any kind meets, program or library. Left out are those of windows,
 * files, settings, uploads, sockets and of what is shown, and those that only a history or a list of sessions shows.
 */
export const cases: readonly Case[] = [...rest, ...life, ...rooms, ...messages, ...devices];

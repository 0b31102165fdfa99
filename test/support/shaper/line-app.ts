import { afterAll, beforeAll } from 'vitest';
import {
	activity,
	button,
	captionsRegion,
	longMicrophone,
	pageNow,
	recorded,
	until,
	untilPhase,
} from '#test/support/app-steps.ts';
import { type Launched, launch } from '#test/support/launch.ts';
import { notRun } from '#test/support/not-run.ts';
import { type FarService, type ServiceWish, startFarService } from './far-service.ts';
import { type Line, startLine } from './line.ts';

/** The app at one end of a line, the service at the other. */
export interface LineApp {
	readonly app: Launched;
	readonly line: Line;
	readonly service: FarService;
	stop(): Promise<void>;
}

interface LineAppWish extends ServiceWish {
	readonly settings?: Readonly<Record<string, unknown>>;
	/** Record what is heard and spoken. Default true. */
	readonly probe?: boolean;
}

/** Says what is missing where it cannot. */
export async function startLineApp(wish: LineAppWish): Promise<LineApp | { readonly missing: string }> {
	const line = await startLine({ seed: 1 });
	if ('missing' in line) return line;
	const service = await startFarService(line, wish);
	if ('missing' in service) {
		await line.stop();
		return service;
	}
	try {
		const app = await launch({
			microphone: longMicrophone(),
			microphoneLoops: true,
			settings: { interfaceLanguage: 'en', ...wish.settings },
			wrap: line.near.wrap,
			args: [`--remote-debugging-port=${line.near.devtoolsPort}`],
			env: service.env,
			...(wish.probe === undefined ? {} : { probe: wish.probe }),
		});
		return {
			app,
			line,
			service,
			async stop() {
				await app.kill('SIGKILL');
				await service.stop();
				await line.stop();
			},
		};
	} catch (failure) {
		await service.stop();
		await line.stop();
		throw failure;
	}
}

/** Presses Start and waits for a voice. */
export async function beginConversation({ app: { page } }: LineApp): Promise<void> {
	// Also after a start that failed.
	await button(page, 'Start').click();
	await untilPhase(page, 'Live', 60_000);
	await untilVoice(page);
}

/** Until the voice is heard again, from now on. */
export async function untilVoice(page: Launched['page'], limitMs = 60_000): Promise<void> {
	const since = await pageNow(page);
	await until(
		'a voice is heard',
		async () => activity(await recorded(page, 'heard', since)).some((span) => span.toMs - span.fromMs > 300),
		limitMs,
	);
}

/** Until the captions have changed. */
export async function untilNewCaptions(page: Launched['page'], limitMs = 60_000): Promise<void> {
	const words = () => captionsRegion(page).textContent();
	const before = await words();
	await until('the captions go on', async () => (await words()) !== before, limitMs);
}

/** The log's entries about the room and the conversation, in order. */
export function storyOf(app: Launched): readonly string[] {
	return app
		.log()
		.split('\n')
		.filter((line) => line !== '')
		.map((line) => JSON.parse(line) as { message: string; state?: string; stage?: string })
		.flatMap(({ message, state, stage }) => {
			if (message === 'room link') return [`link ${state}`];
			return message === 'conversation' && stage ? [stage] : [];
		});
}

/** A test over a line may take this long. */
export const LIMIT_MS = 240_000;
/** Back on an idle machine after 1 to 5 s. */
export const BACK_MS = 45_000;
/** Lines of the app's log shown when a test fails. */
const LOG_LINES = 80;

/** One app and one line for the tests of a group, one after the other in one conversation. */
export function withLine(what: string, wish: LineAppWish): { get(): LineApp | null } {
	let made: LineApp | null = null;
	beforeAll(async () => {
		const started = await startLineApp(wish);
		if ('missing' in started) notRun(what, started.missing);
		else made = started;
	}, LIMIT_MS);
	afterAll(() => made?.stop(), 30_000);
	return { get: () => made };
}

export const seconds = (s: number) => new Promise((done) => setTimeout(done, 1000 * s));

/** The app's last log lines, for a test that failed. */
export const lastOfLog = ({ app }: LineApp) => app.log().split('\n').slice(-LOG_LINES).join('\n');

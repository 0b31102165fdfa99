import { describe, expect, onTestFailed, test } from 'vitest';
import { button, until, untilPhase } from '#test/support/app-steps.ts';
import { CLEAN, CUT } from '#test/support/shaper/line.ts';
import {
	BACK_MS,
	beginConversation,
	LIMIT_MS,
	type LineApp,
	lastOfLog,
	storyOf,
	untilNewCaptions,
	untilVoice,
	withLine,
} from '#test/support/shaper/line-app.ts';

/** A room server that is gone for good: live by a socket within this, which is what we promise and what a busy machine adds. */
const SILENT_MS = 7000 + 2000;
const REFUSED_MS = 4000 + 2000;

/** For apps that may use either transport: the room first. */
describe('a conversation whose room server is gone for good, over a real line', () => {
	const stage = withLine('a room server that is gone for good', { livekit: 'v1.8.4' });

	/** Live over a socket at most `limitMs` after `fails` was done. */
	async function goesOver({ app, service }: LineApp, fails: () => unknown, limitMs: number): Promise<void> {
		const fromMs = Date.now();
		await fails();
		// "Reconnecting" may be passed at once.
		await app.page
			.getByText('so the conversation uses WebSocket', { exact: false })
			.first()
			.waitFor({ timeout: limitMs });
		await untilPhase(app.page, 'Live', limitMs);
		const tookMs = Date.now() - fromMs;
		expect(tookMs).toBeLessThan(limitMs);
		await untilVoice(app.page);
		await until('one session is open', async () => (await service.openSessions()).length === 1);
	}

	test(
		'is live by a socket within 7 s of a host that falls silent, and within 4 s of one that refuses',
		async ({ skip }) => {
			const here = stage.get();
			if (!here) return skip('no line here');
			onTestFailed(() => console.error(lastOfLog(here)));
			const { line, service, app } = here;
			const { room, media } = service.places.tcpPorts;
			await beginConversation(here);
			const silent = { blockUdp: true, blockTcpPorts: [room, media] };
			await goesOver(here, () => line.set({ up: silent, down: silent }), SILENT_MS);
			await line.set(CLEAN);
			await button(app.page, 'Back to WebRTC').click();
			await until('it goes by a room', () => storyOf(app).at(-1) === 'live');
			await untilVoice(app.page);
			await goesOver(here, () => service.killLivekit(), REFUSED_MS);
		},
		LIMIT_MS,
	);
});

describe('a conversation by a socket, over a real line', () => {
	const stage = withLine('a conversation by a socket over a line between two networks', {
		settings: { transport: 'websocket', warmIdleS: 0 },
	});

	test(
		'is found dead by its ping and goes on; what a slow line cannot take is dropped, said and marked',
		async ({ skip }) => {
			const here = stage.get();
			if (!here) return skip('no line here');
			const { page } = here.app;
			await beginConversation(here);
			await here.line.set(CUT);
			await untilPhase(page, 'Reconnecting', 25_000);
			await here.line.set(CLEAN);
			await untilPhase(page, 'Live', BACK_MS);
			await untilVoice(page);
			await here.line.set({ up: { bytesPerSecond: 10_000, queueBytes: 20_000 } });
			await page.getByText('could not be sent and will not be translated', { exact: false }).first().waitFor({
				timeout: 60_000,
			});
			await here.line.set(CLEAN);
			await untilPhase(page, 'Live', BACK_MS);
			await untilNewCaptions(page);
		},
		LIMIT_MS,
	);
});

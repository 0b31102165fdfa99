import { afterEach, describe, expect, test, vi } from 'vitest';
import type { Transport, TransportEvent } from '#renderer/transport/transport.ts';

/** One transport with the far side in the test's hand. */
export interface TransportRig {
	readonly transport: Transport;
	/** The far side refuses every attempt to join. */
	refuse(): Promise<void>;
	/** The far side never answers an attempt to join. */
	stall(): Promise<void>;
	/** Undoes `refuse` and `stall`. */
	welcome(): Promise<void>;
	/** The line breaks and can be mended at once. */
	interrupt(): Promise<void>;
	/** The far side ends it for good. */
	end(): Promise<void>;
	/** Texts of the commands that arrived. */
	arrived(): readonly string[];
	say(message: object): Promise<void>;
	/** Starts a voice; returns its end. */
	speak(language: string): Promise<() => Promise<void>>;
	/** A track as a microphone gives; the rig stops it. */
	readonly microphone: MediaStreamTrack;
	close(): Promise<void>;
}

const never = () => new AbortController().signal;
const soon = { timeout: 10_000, interval: 20 };

/** What every transport promises (transport.ts), written once and tested for each. */
export function transportContract(name: string, createRig: () => Promise<TransportRig>): void {
	describe(`transport: ${name}`, () => {
		const rigs: TransportRig[] = [];

		async function start() {
			const rig = await createRig();
			rigs.push(rig);
			const events: TransportEvent[] = [];
			rig.transport.listen((event) => events.push(event));
			const links = () => events.flatMap((event) => (event.type === 'link' ? [event.link.state] : []));
			return { ...rig, rig, events, links };
		}

		async function opened() {
			const started = await start();
			await started.transport.setMicrophone(started.microphone);
			expect(await started.transport.open(never())).toEqual({ ok: true });
			return started;
		}

		afterEach(async () => {
			for (const rig of rigs.splice(0)) {
				await rig.transport.close();
				await rig.close();
			}
		});

		test('opens, which is no event, and packets leave', async () => {
			const { transport, events } = await opened();
			expect(events).toEqual([]);
			await vi.waitFor(async () => expect((await transport.stats()).packetsSent).toBeGreaterThan(0), soon);
		});

		test('sends silence when there is no microphone', async () => {
			const { transport } = await start();
			expect(await transport.setMicrophone(null)).toEqual({ ok: true });
			expect(await transport.open(never())).toEqual({ ok: true });
			await vi.waitFor(async () => expect((await transport.stats()).packetsSent).toBeGreaterThan(5), soon);
		});

		test('sends the microphone that comes only after it was opened', async () => {
			const { transport, microphone } = await start();
			expect(await transport.open(never())).toEqual({ ok: true });
			expect(await transport.setMicrophone(microphone)).toEqual({ ok: true });
			await vi.waitFor(async () => expect((await transport.stats()).packetsSent).toBeGreaterThan(5), soon);
		});

		test('goes on sending when the microphone is taken away and given back', async () => {
			const { transport, microphone } = await opened();
			for (const track of [null, microphone]) {
				expect(await transport.setMicrophone(track)).toEqual({ ok: true });
				const before = (await transport.stats()).packetsSent;
				await vi.waitFor(
					async () => expect((await transport.stats()).packetsSent).toBeGreaterThan(before + 5),
					soon,
				);
			}
		});

		test('leaves the caller’s track as it was: live, and muted if muted', async () => {
			const { transport, microphone } = await start();
			microphone.enabled = false;
			await transport.setMicrophone(microphone);
			await transport.open(never());
			await transport.setMicrophone(null);
			await transport.setMicrophone(microphone);
			expect(microphone.enabled).toBe(false);
			await transport.close();
			expect([microphone.readyState, microphone.enabled]).toEqual(['live', false]);
		});

		test('brings commands over, and refuses them when it is not open', async () => {
			const { transport, arrived } = await start();
			expect(await transport.send({ message_type: 'get_task', data: {} })).toBe(false);
			await transport.open(never());
			expect(await transport.send({ message_type: 'get_task', data: {} })).toBe(true);
			await vi.waitFor(() => expect(arrived()).toEqual(['{"message_type":"get_task","data":{}}']), soon);
			await transport.close();
			expect(await transport.send({ message_type: 'get_task', data: {} })).toBe(false);
		});

		test('brings messages over decoded, the unknown ones too', async () => {
			const { say, events } = await opened();
			const messages = () =>
				events.flatMap((event) => (event.type === 'message' ? [event.message.type] : []));
			// A room's server drops what is said before its channel to us is open, which may be later than our own.
			await vi.waitFor(async () => {
				await say({ message_type: 'weather', data: {} });
				expect(messages().length).toBeGreaterThan(0);
			}, soon);
			await say({ message_type: 'end_of_stream', data: {} });
			await say({ message_type: 'from_the_future', data: {} });
			await vi.waitFor(() => {
				const all = messages();
				expect(all.slice(all.indexOf('end-of-stream'))).toEqual(['end-of-stream', 'unknown']);
			}, soon);
		});

		test('says when a voice comes and goes', async () => {
			const { speak, events } = await opened();
			const stop = await speak('es');
			await vi.waitFor(() => {
				expect(events).toContainEqual(expect.objectContaining({ type: 'voice', language: 'es' }));
			}, soon);
			await stop();
			await vi.waitFor(() => expect(events).toContainEqual({ type: 'voice-gone', language: 'es' }), soon);
		});

		test('mends a broken line by itself and says both', async () => {
			const { transport, interrupt, links } = await opened();
			await interrupt();
			await vi.waitFor(() => expect(links()).toEqual(['restoring', 'up']), {
				timeout: 20_000,
				interval: 20,
			});
			await vi.waitFor(async () => {
				expect(await transport.send({ message_type: 'get_task', data: {} })).toBe(true);
			}, soon);
		}, 30_000);

		test('says why it is over, and lets itself be opened again', async () => {
			const { transport, end, events } = await opened();
			await end();
			await vi.waitFor(() => {
				expect(events).toContainEqual({
					type: 'link',
					link: { state: 'down', problem: expect.objectContaining({ kind: expect.any(String) }) },
				});
			}, soon);
			expect(await transport.send({ message_type: 'get_task', data: {} })).toBe(false);
			// Whether there is still a room to join is up to the far side.
			expect(await transport.open(never())).not.toMatchObject({ error: { kind: 'bug' } });
		});

		test('fails with a problem when it is refused, and can be opened again', async () => {
			const { transport, refuse, welcome, links } = await start();
			await refuse();
			const refused = await transport.open(never());
			expect(refused).toEqual({ ok: false, error: expect.objectContaining({ kind: expect.any(String) }) });
			await welcome();
			expect(await transport.open(never())).toEqual({ ok: true });
			expect(links()).toEqual([]);
		});

		test('does not open twice at once', async () => {
			const { transport } = await opened();
			expect(await transport.open(never())).toMatchObject({ ok: false, error: { kind: 'bug' } });
			expect(await transport.send({ message_type: 'get_task', data: {} })).toBe(true);
		});

		test('closes twice without harm, and says nothing after', async () => {
			const { transport, say, events, interrupt } = await opened();
			await Promise.all([transport.close(), transport.close()]);
			await transport.close();
			const before = events.length;
			await say({ message_type: 'end_of_stream', data: {} });
			await interrupt();
			expect(events.slice(before)).toEqual([]);
		});

		test('close while opening cancels within 2 s', async () => {
			const { transport, stall } = await start();
			await stall();
			const opening = transport.open(never());
			const before = performance.now();
			await transport.close();
			expect(await opening).toEqual({ ok: false, error: { kind: 'cancelled' } });
			expect(performance.now() - before).toBeLessThan(2000);
		});

		test('an abort cancels before, during and after opening', async () => {
			const { transport, stall, welcome, links } = await start();
			expect(await transport.open(AbortSignal.abort())).toEqual({ ok: false, error: { kind: 'cancelled' } });

			await stall();
			const during = new AbortController();
			const opening = transport.open(during.signal);
			during.abort();
			expect(await opening).toEqual({ ok: false, error: { kind: 'cancelled' } });

			await welcome();
			const after = new AbortController();
			expect(await transport.open(after.signal)).toEqual({ ok: true });
			after.abort();
			expect(await transport.send({ message_type: 'get_task', data: {} })).toBe(false);
			expect(links()).toEqual([]);
			expect(await transport.open(never())).toEqual({ ok: true });
		});
	});
}

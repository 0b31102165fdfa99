import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { afterAll, afterEach, describe, expect, it } from 'vitest';
import { createRouting, type Routing } from '#main/calls/routing.ts';
import { createPactl } from '#main/calls/sound-server.ts';
import { readProcesses } from '#main/calls/virtual-microphone.ts';
import { createSystemClock } from '#main/system-clock.ts';
import { silentLogger } from '#shared/lib/log.ts';
import { eventually } from '#test/support/eventually.ts';
import { inspectSound } from '#test/support/inspect-sound.ts';
import { notRun } from '#test/support/not-run.ts';
import { startPulse } from '#test/support/pulse.ts';

/* The routing against a real sound server, beside other programs that come and go. */

const clock = createSystemClock();
const pulse = await startPulse();

describe.skipIf('missing' in pulse && notRun('the sound server of Linux', pulse.missing))(
	'the virtual microphone in a real sound server',
	() => {
		if ('missing' in pulse) return;
		const env = { ...process.env, ...pulse.env };
		const { pactl } = pulse;
		const server = createPactl(clock, env);
		const open = new Set<Routing>();

		function createHere(): Routing {
			const routing = createRouting({
				server,
				processes: readProcesses(),
				clock,
				log: silentLogger,
				openGuide: async () => {},
			});
			open.add(routing);
			return routing;
		}

		/** Another program that has made its own. */
		async function startOther() {
			const child = spawn(process.execPath, ['test/support/routing-child.ts'], { env });
			const [said] = await once(child.stdout, 'data');
			expect(String(said)).toBe('ready\n');
			return {
				pid: child.pid,
				async kill() {
					child.kill('SIGKILL');
					await once(child, 'exit');
				},
			};
		}

		const ours = async () =>
			(await pactl('list', 'short', 'modules')).split('\n').filter((line) => line.includes('dragoman.'));

		const clients = async () =>
			(await pactl('list', 'short', 'clients')).split('\n').filter((line) => line.includes('pactl'));

		afterEach(async () => {
			for (const routing of open) await routing.close();
			open.clear();
		});
		afterAll(() => pulse.stop());

		it('stands under the names people read, loud and heard, and is no default', async () => {
			const routing = createHere();
			await pactl('set-default-source', 'speakers.monitor');
			expect(await routing.answers['routing.make']()).toMatchObject({ ok: true });
			const devices = [await pactl('list', 'sinks'), await pactl('list', 'sources')].join('\n');
			const described = [...devices.matchAll(/Description: (Dragoman.*)$/gm)].map(([, name]) => name);
			expect(described).toEqual(['Dragoman voice', 'Dragoman microphone']);
			expect(await server.info()).toMatchObject({
				value: { defaultSink: 'speakers', defaultSource: 'speakers.monitor' },
			});
			const [voice] = /dragoman\.\S+\.voice/.exec(await pactl('list', 'short', 'sinks')) ?? [''];
			await pactl('set-sink-mute', voice, '1');
			await pactl('set-source-volume', `${voice}.monitor`, '5%');
			await routing.answers['routing.make']();
			expect(await pactl('get-sink-mute', voice)).toContain('no');
			expect(await pactl('get-source-volume', `${voice}.monitor`)).toContain('100%');
			await routing.answers['routing.remove']();
			expect(await ours()).toEqual([]);
		});

		it('of a living program is left alone, and cleaned up when it was killed', async () => {
			const other = await startOther();
			const here = createHere();
			await here.clean();
			expect(await ours()).toHaveLength(2);
			expect(await inspectSound(server, readProcesses())).toMatchObject({ inUse: 2, orphans: 0 });
			await here.answers['routing.make']();
			expect(here.state().virtualMicrophone).toMatchObject({ microphoneLabel: 'Dragoman microphone 2' });
			await other.kill();
			expect(await inspectSound(server, readProcesses())).toMatchObject({ inUse: 2, orphans: 2 });
			await here.clean();
			expect((await ours()).every((line) => line.includes(`.${process.pid}.`))).toBe(true);
			expect(await ours()).toHaveLength(2);
		}, 30_000);

		it('that somebody takes away is back, both halves', async () => {
			const here = createHere();
			await here.answers['routing.make']();
			const [voice = ''] = await ours();
			await pactl('unload-module', voice.split('\t')[0] ?? '');
			await eventually(ours, (lines) => {
				expect(lines).toHaveLength(2);
				expect(lines.join()).not.toContain(voice);
			});
		}, 30_000);

		it('is made again when the sound server has been started anew', async () => {
			const here = createHere();
			await here.answers['routing.make']();
			const seen: string[] = [];
			here.listen(({ virtualMicrophone }) => seen.push(virtualMicrophone.state));
			// Watched, besides the one who asks: otherwise the watching begins with the new server, which has lost nothing.
			await eventually(clients, (lines) => expect(lines.length).toBeGreaterThanOrEqual(2));
			await pulse.restart();
			await eventually(ours, (lines) => expect(lines).toHaveLength(2), 20_000);
			await eventually(
				() => seen,
				(states) => expect(states).toEqual(['making', 'ready']),
			);
		}, 40_000);

		it('cannot be made where no server answers or its tool is not installed, and that is said', async () => {
			const away = createPactl(clock, { ...env, PULSE_SERVER: 'unix:/nowhere/native' });
			expect(await away.info()).toMatchObject({ error: { kind: 'sound-server-away' } });
			const bare = createPactl(clock, { ...env, PATH: '/nowhere' });
			expect(await bare.modules()).toEqual({
				ok: false,
				error: { kind: 'sound-tool-missing', program: 'pactl' },
			});
			const { promise, resolve } = Promise.withResolvers<void>();
			bare.watch(() => {}, resolve);
			await promise;
			expect(await server.load('module-there-is-none', [])).toMatchObject({
				error: { kind: 'virtual-microphone-failed' },
			});
			expect(await server.unload(4_000_000)).toEqual({ ok: true });
		}, 30_000);
	},
);

import type { BenchResult, Goal } from './bench.ts';
import type { CostSeen } from './cost.ts';
import { plotDots } from './plot.ts';
import { bootstrap, median, medianOf, ratioOf } from './statistics.ts';
import { written } from './table.ts';
import { exactly, verdict } from './verdict.ts';

const ARMS = ['blank', 'idle', 'bare', 'webrtc', 'hidden', 'captions', 'socket'];
/** Mono, 16 bits, 24,000 a second. */
const RAW_PCM = 48_000;

export function reportCost(seen: CostSeen): BenchResult {
	const { cpu, memory, cycles, left, uplink, longTasks } = seen;
	const of = (arm: string) => cpu.filter((one) => one.arm === arm).map(({ percent }) => percent);
	const call = ratioOf(of('webrtc'), of('bare'));
	const hidden = ratioOf(of('hidden'), of('bare'));
	const captions = ratioOf(of('captions'), of('webrtc'));
	const socket = ratioOf(of('socket'), of('webrtc'));
	const idle = bootstrap(
		[of('idle'), of('blank')],
		([ours = [], blank = []]) => median(ours) - median(blank),
	);
	const grown = (from: string, to: string) => (memory[to] ?? Number.NaN) - (memory[from] ?? Number.NaN);
	const above = grown('blank', 'idle');
	const rows = grown('in a call', 'after 10,000 rows');
	const kept = grown('after 10 cycles', `after ${cycles} cycles`);
	const leaked = left.connections + left.tracks;
	const rate = (name: string) => uplink[name] ?? Number.NaN;
	const pcm = rate('socket, speech') / RAW_PCM;
	const longest = Math.max(0, ...longTasks.tasks);
	const goals: Goal[] = [
		{
			id: 'P10',
			goal: 'processor in a call at most 1.10 times the bare page',
			measured: `${written(call, 2)} times`,
			...verdict(
				[{ seen: call, most: 1.1 }],
				'by a trace the window’s thread takes 8 % of a core, and of that the captions 2.6, readings of loudness 1.3, the meters 1.0, styles, layout and paint 3; the rest is the voice kept for hearing it again, and a main process. The bare page shows nothing',
			),
		},
		{
			id: 'P10',
			goal: 'processor in a call behind other windows at most 1.03 times the bare page',
			measured: `${written(hidden, 2)} times`,
			...verdict(
				[{ seen: hidden, most: 1.03 }],
				'as above, without what is drawn: the readings, the kept voice and main go on',
			),
		},
		{
			id: 'P10',
			goal: 'idle at most 1.0 % of a core above a blank window',
			measured: `${written(idle, 2)} % more`,
			...verdict([{ seen: idle, most: 1 }], 'the meter that shows the microphone is open'),
		},
		{
			id: 'P10',
			goal: 'with captions at ten texts a second at most 1.25 times the call',
			measured: `${written(captions, 2)} times`,
			...verdict([{ seen: captions, most: 1.25 }], 'each text is laid out and painted'),
		},
		{
			id: 'P10',
			goal: 'over the socket at most 1.20 times WebRTC',
			measured: `${written(socket, 2)} times`,
			...verdict([{ seen: socket, most: 1.2 }], 'sound passes through main, in JSON, and through worklets'),
		},
		{
			id: 'P11',
			goal: 'memory idle at most 50 MB above a blank window',
			measured: `${above.toFixed(0)} MB more`,
			...verdict(
				[{ seen: exactly(above), most: 50 }],
				'a renderer with fonts, the library and the pages loaded ahead, main with its code, and 20 MB for a process of the browser that lists cameras beside the microphones',
			),
		},
		{
			id: 'P11',
			goal: 'at most 25 MB more after 10,000 rows',
			measured: `${rows.toFixed(0)} MB more`,
			...verdict(
				[{ seen: exactly(rows), most: 25 }],
				'20,000 texts, each with its times, and the pages of their history',
			),
		},
		{
			id: 'P11',
			goal: `at most 8 MB more after ${cycles} cycles than after 10, no connection and no microphone left`,
			measured: `${kept.toFixed(0)} MB more, ${left.connections} connections, ${left.tracks} tracks, ${left.contexts} contexts`,
			...verdict(
				[
					{ seen: exactly(kept), most: 8 },
					{ seen: exactly(leaked), most: 0 },
				],
				'compiled code and counters of the browser; heap snapshots show no object of ours that stays',
			),
		},
		{
			id: 'P12',
			goal: 'WebRTC sends at most 7.2 kB/s',
			measured: `${(rate('webrtc, speech') / 1000).toFixed(2)} kB/s in speech, ${(rate('webrtc, muted') / 1000).toFixed(2)} muted`,
			...verdict(
				[{ seen: exactly(rate('webrtc, speech')), most: 7200 }],
				'32 kbit/s of Opus, headers of 20 ms packets and reports',
			),
		},
		{
			id: 'P12',
			goal: 'the socket sends at most 1.36 times raw PCM',
			measured: `${pcm.toFixed(2)} times`,
			...verdict([{ seen: exactly(pcm), most: 1.36 }], 'base64 costs a third, the rest is JSON around it'),
		},
		{
			id: 'P12',
			goal: 'at most 0.2 kB/s while paused',
			measured: `${(rate('webrtc, paused') / 1000).toFixed(2)} kB/s WebRTC, ${(rate('socket, paused') / 1000).toFixed(2)} socket`,
			...verdict(
				[{ seen: exactly(Math.max(rate('webrtc, paused'), rate('socket, paused'))), most: 200 }],
				'silence goes on in packets: what the service makes of a speaker who sends none is not known',
			),
		},
		{
			id: 'P14',
			goal: 'no task above 50 ms in a call that has settled',
			measured: `${longTasks.tasks.length} in ${(longTasks.watchedMs / 60_000).toFixed(1)} min, the longest ${longest.toFixed(0)} ms`,
			...verdict([{ seen: exactly(longTasks.tasks.length), most: 0 }], 'a busy machine counts against it'),
		},
	];
	const anchors: Readonly<Record<string, string>> = {
		idle: 'blank',
		webrtc: 'bare',
		hidden: 'bare',
		captions: 'webrtc',
		socket: 'webrtc',
	};
	return {
		markdown: [
			'### Processor',
			'',
			'| | ÷ anchor | % of a core |',
			'| --- | --- | --- |',
			...ARMS.map((arm) => {
				const anchor = anchors[arm];
				const ratio = anchor ? `${written(ratioOf(of(arm), of(anchor)), 2)} × ${anchor}` : '';
				return `| ${arm} | ${ratio} | ${written(medianOf(of(arm)), 1)} |`;
			}),
			'',
			'### Memory',
			'',
			'| | MB |',
			'| --- | --- |',
			...Object.entries(memory).map(([name, mb]) => `| ${name} | ${mb.toFixed(0)} |`),
			'',
			'### Sent',
			'',
			'| | kB/s |',
			'| --- | --- |',
			...Object.entries(uplink).map(([name, bytes]) => `| ${name} | ${(bytes / 1000).toFixed(2)} |`),
		].join('\n'),
		data: seen,
		goals,
		plots: {
			cost: plotDots({
				title: 'Processor time of the whole program',
				description: 'Each dot is one stretch of time.',
				unit: '%',
				digits: 1,
				rows: ARMS.map((name) => ({ name, values: of(name) })),
			}),
		},
	};
}

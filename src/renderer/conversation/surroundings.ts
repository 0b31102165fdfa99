import type { Event } from '#shared/conversation/machine/events.ts';
import { createScope, type Scope } from '#shared/lib/scope.ts';
import type { Gauge } from './gauge.ts';
import type { NoticeSlot } from './notice.ts';
import type { ConversationParts } from './parts.ts';
import type { Performer } from './performer.ts';
import { createPowerWatch } from './watches/power-watch.ts';

export interface SurroundingsParts
	extends Pick<ConversationParts, 'host' | 'clock' | 'microphone' | 'mixer' | 'listenNetwork'> {
	readonly performer: Pick<Performer, 'replaceTrack' | 'finalize'>;
	readonly gauge: Gauge;
	readonly notice: NoticeSlot;
	readonly dispatch: (event: Event) => void;
	/** Since Start, ms. */
	readonly elapsedMs: () => number;
}

/** Follows what happens around a conversation: to the devices, the account, the computer and its network. */
export function followSurroundings(parts: SurroundingsParts): Scope {
	const { host, clock, microphone, mixer, performer, gauge, notice, dispatch } = parts;
	const scope = createScope(clock);
	scope.add(
		microphone.listen((event) => {
			switch (event.type) {
				case 'replaced':
					performer.replaceTrack(event.track);
					// The same one opened again, for other settings, is no news.
					if (event.from !== event.to)
						notice.say({ kind: 'microphone-switched', from: event.from, to: event.to });
					return;
				case 'lost':
					return void dispatch({ type: 'microphone-lost', problem: event.problem });
				case 'silent':
					return void notice.say({ kind: 'silent-microphone', device: event.device });
				case 'muted':
					return performer.finalize();
				case 'speaking-while-muted':
					return void notice.say({ kind: 'you-are-muted' });
			}
		}),
	);
	scope.add(
		mixer.listen((event) => {
			switch (event.type) {
				case 'voice-active':
					if (event.active) gauge.voiceBegan(parts.elapsedMs());
					return void dispatch({ type: 'voice-active', active: event.active });
				case 'output-switched':
					return void notice.say({ kind: 'output-switched', from: event.from, to: event.to });
				case 'blocked':
					return void notice.say({ kind: 'problem', problem: { kind: 'output-blocked' } });
			}
		}),
	);
	scope.add(
		host.listen('session.lost', ({ handle, problem }) => dispatch({ type: 'session-lost', handle, problem })),
	);
	scope.add(
		host.listen('session.expiring', ({ handle, leftMs }) =>
			dispatch({ type: 'session-expiring', handle, leftMs }),
		),
	);
	scope.add(host.listen('account.leaving', () => dispatch({ type: 'stop-now' })));
	scope.add(createPowerWatch({ host, clock, dispatch }));
	if (parts.listenNetwork) scope.add(parts.listenNetwork(() => dispatch({ type: 'network-back' })));
	return scope;
}

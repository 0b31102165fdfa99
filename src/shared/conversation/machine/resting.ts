import type { Event, Moment } from './events.ts';
import { join } from './recover.ts';
import { byWebrtc } from './route.ts';
import { observe, reopenMicrophone, rest } from './run.ts';
import { after, type Resting, type State, type Step, to, unchanged } from './state.ts';

/** Nothing is open. Resume opens a new session and the microphone; stop ends it. */
export function stepResting(state: State, stage: Resting, event: Event, { nowMs }: Moment): Step {
	switch (event.type) {
		case 'stop':
		case 'stop-now':
			return rest(state);
		case 'resume': {
			const again = reopenMicrophone(state, { ...stage.run, paused: false, outage: null }, nowMs);
			return after(again.effects, join(again.state, again.run, nowMs));
		}
		case 'go-back':
			if (stage.run.switched === null) return unchanged(state);
			return to(state, { ...stage, run: byWebrtc(stage.run) });
		default:
			return to(state, { ...stage, run: observe(stage.run, event, nowMs) });
	}
}

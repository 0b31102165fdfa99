import type { Cancel } from '#shared/lib/clock.ts';
import type { Settings } from '#shared/settings/schema.ts';
import type { History } from './history.ts';

type Choice = Pick<Settings, 'history' | 'historyDays'>;

interface ChoiceSource {
	values(): Choice;
	listen(heard: () => void): Cancel;
}

/** Tells the history when the user's choice changes; it ignores other settings. */
export function followChoice(settings: ChoiceSource, history: Pick<History, 'choiceChanged'>): Cancel {
	const now = () => JSON.stringify([settings.values().history, settings.values().historyDays]);
	let before = now();
	return settings.listen(() => {
		if (now() === before) return;
		before = now();
		history.choiceChanged();
	});
}

import type { History } from '#main/history/history.ts';
import type { SettingsStore } from '#main/settings/settings.ts';
import type { Announcement, AnnouncementName } from '#shared/host/contract.ts';
import type { Cancel } from '#shared/lib/clock.ts';
import type { Settings } from '#shared/settings/schema.ts';
import { needsRoom } from '#shared/settings/shown-pair.ts';
import type { Services } from './services.ts';

export interface ChangesParts {
	readonly services: Services;
	readonly settings: Pick<SettingsStore, 'values' | 'listen'>;
	/** To the window. */
	announce<Name extends AnnouncementName>(name: Name, payload: Announcement<Name>): void;
	/** Menu, tray and global keys follow the settings. */
	refresh(): void;
}

/** Tells the window what changes in main by itself, and keeps up to date whatever depends on the settings. */
export function followChanges({ services, settings, announce, refresh }: ChangesParts): void {
	const { account, keeper, history, voices, diagnosis, routing, systemSound, guests, models } = services;
	settings.listen((snapshot) => {
		if (!needsRoom(settings.values())) keeper.cool();
		refresh();
		announce('settings.changed', snapshot);
	});
	followChoice(settings, history);
	history.listen((state) => announce('history.changed', state));
	voices.listen((list) => announce('voice.changed', list));
	diagnosis.listen((state) => announce('diagnosis.changed', state));
	routing.listen((state) => announce('routing.changed', state));
	systemSound.listen((state) => announce('system-sound.changed', state));
	guests.listen((state) => announce('guests.changed', state));
	models.listen((state) => announce('models.changed', state));
	account.listen((status) => {
		announce('account.changed', status);
		void voices.accountChanged();
	});
	keeper.onLost((handle, problem) => announce('session.lost', { handle, problem }));
	keeper.onExpiring((handle, leftMs) => announce('session.expiring', { handle, leftMs }));
}

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

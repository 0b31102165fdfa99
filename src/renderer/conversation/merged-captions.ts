import { createStore } from 'zustand/vanilla';
import { compareInTime } from '#shared/captions/entry.ts';
import { type LegName, legNames } from '#shared/conversation/leg-name.ts';
import type { CaptionsView } from './conversation.ts';

/** The captions of both legs as one: rows in the order in which they appeared, constant cost per message. */
export interface MergedCaptions extends CaptionsView {
	/** Only these are shown: the others belong to an earlier conversation. */
	show(legs: readonly LegName[]): void;
}

interface Place {
	readonly leg: LegName;
	readonly index: number;
}

export function createMergedCaptions(legs: { readonly [Name in LegName]: CaptionsView }): MergedCaptions {
	const store = createStore(() => ({ version: 0, rows: 0, sided: false }));
	const known: { [Name in LegName]: number } = { outgoing: 0, incoming: 0 };
	let shown: readonly LegName[] = [];
	let order: Place[] = [];

	function changed(): void {
		store.setState({
			version: store.getState().version + 1,
			rows: order.length,
			sided: shown.length > 1,
		});
	}

	function follow(leg: LegName): void {
		const { rows } = legs[leg].store.getState();
		if (!shown.includes(leg)) return;
		// Fewer than before: it began anew.
		if (rows < known[leg]) forget(leg);
		for (let index = known[leg]; index < rows; index++) order.push({ leg, index });
		known[leg] = rows;
		changed();
	}

	function forget(leg: LegName): void {
		order = order.filter((place) => place.leg !== leg);
		known[leg] = 0;
	}

	for (const leg of legNames) {
		legs[leg].store.subscribe(() => follow(leg));
	}

	return {
		store,
		row(index) {
			const place = order[index];
			return place && legs[place.leg].row(place.index);
		},
		finals() {
			const all = shown.map((leg) => legs[leg].finals());
			// Each is in order already.
			return all.length === 1 ? (all[0] ?? []) : all.flat().sort(compareInTime);
		},
		clear() {
			for (const leg of shown) legs[leg].clear();
		},
		show(next) {
			shown = next;
			for (const leg of legNames) if (!next.includes(leg)) forget(leg);
			for (const leg of next) follow(leg);
			changed();
		},
	};
}

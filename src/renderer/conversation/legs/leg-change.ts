import type { LegConversation } from '#renderer/conversation/conversation.ts';
import type { ConversationView } from '#renderer/conversation/conversation-store.ts';
import type { Choices } from '#shared/conversation/choices.ts';
import type { LegName } from '#shared/leg-name.ts';

/** A change of languages, voices or pace that is for both legs: both take it, or none keeps it. */
export interface LegChange {
	/** `refused` is called when a leg refuses it, before the legs that took it are rolled back. */
	begin(legs: readonly LegName[], plans: Plans, refused: () => void): void;
	/** The legs may have changed their state. */
	settle(): void;
	/** As a view shows it. */
	state(): ConversationView['change'];
	/** Another conversation. */
	forget(): void;
}

interface Plans {
	readonly before: { readonly [Name in LegName]: Choices | null };
	readonly next: { readonly [Name in LegName]: Choices | null };
}

interface Open extends Plans {
	readonly legs: readonly LegName[];
	readonly refused: () => void;
	/** Begun on top of one that was still open. */
	readonly isSecond: boolean;
}

export function createLegChange(talks: { readonly [Name in LegName]: LegConversation }): LegChange {
	let open: Open | null = null;
	let outcome: ConversationView['change'] = 'none';

	function settle(): void {
		if (!open) return;
		const { legs, before, refused, isSecond } = open;
		const states = legs.map((leg) => talks[leg].store.getState().change);
		if (states.includes('waiting')) return;
		open = null;
		outcome = states.includes('refused') ? 'refused' : 'applied';
		if (outcome !== 'refused') return;
		refused();
		for (const leg of legs) {
			const old = before[leg];
			// The leg that refused has rolled back by itself, but no further than to the change below, if that was confirmed.
			// One that was not live yet took it without a word.
			if (old && (isSecond || talks[leg].store.getState().change !== 'refused')) talks[leg].change(old);
		}
	}

	return {
		begin(legs, plans, refused) {
			// On top of a change that is still open, rolling back goes to before that one.
			const earlier = open;
			const before = earlier?.before ?? plans.before;
			const { next } = plans;
			const concerned = legs.filter(
				(leg) => earlier?.legs.includes(leg) || !sameJson(before[leg], next[leg]),
			);
			outcome = 'waiting';
			open = null;
			for (const leg of concerned) {
				const own = next[leg];
				if (own) talks[leg].change(own);
			}
			const isSecond = earlier !== null;
			open = { before, next, legs: concerned, refused: earlier?.refused ?? refused, isSecond };
		},
		settle,
		state: () => outcome,
		forget() {
			open = null;
			outcome = 'none';
		},
	};
}

function sameJson(one: unknown, other: unknown): boolean {
	return JSON.stringify(one) === JSON.stringify(other);
}

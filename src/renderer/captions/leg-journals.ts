import type { LegName } from '#shared/leg-name.ts';
import type { Journal } from './journal.ts';

/**
 * One conversation in the history for both legs: it begins with the first leg and ends with the last, and the other
 * side's words are marked.
 */
export function createLegJournals(journal: Journal): { readonly [Name in LegName]: Journal } {
	const running = new Set<LegName>();

	function of(leg: LegName): Journal {
		return {
			begin(mode) {
				// A leg that begins although it never ended belongs to another conversation.
				if (running.has(leg) || running.size === 0) {
					running.clear();
					journal.begin(mode);
				}
				running.add(leg);
			},
			goOn(mode) {
				if (running.size === 0) journal.goOn(mode);
				running.add(leg);
			},
			take: (segment, how) => journal.take(segment, { ...how, leg }),
			end() {
				if (running.delete(leg) && running.size === 0) journal.end();
			},
			forget: () => journal.forget(),
			settled: () => journal.settled(),
		};
	}

	return { outgoing: of('outgoing'), incoming: of('incoming') };
}

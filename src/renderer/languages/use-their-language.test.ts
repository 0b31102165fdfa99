import { expect, test } from 'vitest';
import { detectTheirs, otherCandidates } from './use-their-language.ts';

test('what was chosen as theirs is listened for from the beginning, in its base, and never twice', () => {
	const of = (hear: string, detectable: string[]) =>
		detectTheirs({ hear: [hear], voiceOf: hear, detectable });
	expect(of('es-mx', ['en', 'fr'])).toEqual({ listenDetect: true, detectable: ['es', 'en', 'fr'] });
	expect(of('es-mx', ['en', 'es'])).toEqual({ listenDetect: true, detectable: ['en', 'es'] });
	// Bosnian can be a target, but cannot be ticked for detection.
	expect(of('bs', ['en'])).toEqual({ listenDetect: true, detectable: ['en'] });
});

test('the other candidates come in turn, without my own language and what it is taken for', () => {
	const candidates = { speak: 'en-gb', detectable: ['es', 'en', 'fr', 'pt'] };
	expect(otherCandidates(candidates, null)).toEqual(['es', 'fr', 'pt']);
	expect(otherCandidates(candidates, 'es')).toEqual(['fr', 'pt']);
	expect(otherCandidates(candidates, 'fr-ca')).toEqual(['pt', 'es']);
	expect(otherCandidates(candidates, 'pt')).toEqual(['es', 'fr']);
	expect(otherCandidates(candidates, 'ja')).toEqual(['es', 'fr', 'pt']);
	expect(otherCandidates({ speak: 'en', detectable: ['es', 'en'] }, 'es')).toEqual([]);
});

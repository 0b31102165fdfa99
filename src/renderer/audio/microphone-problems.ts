import type { Problem } from '#shared/problem.ts';

/** What a refusal of `getUserMedia` means for us. */
export type CaptureFailure = 'denied' | 'missing' | 'busy' | 'gone' | 'failed';

/** Names of the errors `getUserMedia` rejects with (W3C Media Capture 10.3) and what each means. */
const FAILURES: Readonly<Record<string, CaptureFailure>> = {
	NotAllowedError: 'denied',
	/** Older name of the same; still thrown by some policies. */
	PermissionDeniedError: 'denied',
	SecurityError: 'denied',
	NotFoundError: 'missing',
	DevicesNotFoundError: 'missing',
	/** Another program holds it, or the system could not start it. */
	NotReadableError: 'busy',
	TrackStartError: 'busy',
	AbortError: 'busy',
	/** The exact device that was asked for is not there. */
	OverconstrainedError: 'gone',
	ConstraintNotSatisfiedError: 'gone',
};

export function captureFailure(error: unknown): CaptureFailure {
	return FAILURES[nameOf(error)] ?? 'failed';
}

export function microphoneProblem(error: unknown, device: string): Problem {
	switch (captureFailure(error)) {
		case 'denied':
			return { kind: 'microphone-denied' };
		case 'missing':
		case 'gone':
			return { kind: 'microphone-missing' };
		case 'busy':
			return { kind: 'microphone-busy', device };
		case 'failed':
			return { kind: 'microphone-failed', device, reason: nameOf(error) };
	}
}

function nameOf(error: unknown): string {
	return error instanceof Error || error instanceof DOMException ? error.name : typeof error;
}

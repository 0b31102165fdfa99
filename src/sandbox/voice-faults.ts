/** What can go wrong with voices; rows of the one table in `faults.ts`. */
export const voiceFaults = {
	'voice-token-only': {
		by: 'voice',
		does: 'the voice endpoints refuse the API key, and take the voice token',
	},
	'ascii-names': { by: 'voice', does: 'names of voices may hold ASCII letters only' },
	'upload-expired': { by: 'voice', does: 'pre-signed addresses are expired when given', number: 'times' },
	'upload-500': { by: 'voice', does: 'the upload ends with 500', number: 'times' },
	'upload-503': { by: 'voice', does: 'the upload ends with 503 SlowDown', number: 'times' },
	'upload-403': { by: 'voice', does: 'the upload is refused', number: 'times' },
	'upload-cut': { by: 'voice', does: 'the connection breaks in the middle of the upload', number: 'times' },
	'upload-hang': { by: 'voice', does: 'the upload is taken and never answered', number: 'times' },
	'upload-slow': {
		by: 'voice',
		does: 'the upload is taken slowly: 200 ms a piece, or the number',
		number: 'ms',
	},
	'upload-error-body': {
		by: 'voice',
		does: 'the upload answers 200 with an S3 error in its body',
		number: 'times',
	},
	'upload-200': { by: 'voice', does: 'the upload answers 200 instead of 204' },
	'upload-201': { by: 'voice', does: 'the upload answers 201 with a page of XML' },
	'upload-odd-form': { by: 'voice', does: 'form_data holds a number, and a field that is null' },
	'voice-pending': { by: 'voice', does: 'a voice is ready after 1.5 s, or the number', number: 'ms' },
	'voice-fails': { by: 'voice', does: 'processing ends with failed and its reasons' },
	'voice-warns': { by: 'voice', does: 'processing ends with warnings' },
	'voice-stuck': { by: 'voice', does: 'processing never ends' },
	'voice-odd-status': { by: 'voice', does: 'processing has a status that nobody knows' },
	'no-voice-status': { by: 'voice', does: 'the status of a voice cannot be asked (404)' },
	'two-samples': { by: 'voice', does: 'the answer names a second upload, for a sample nobody sent, first' },
} as const;

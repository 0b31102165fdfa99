import type { Result } from '#shared/lib/result.ts';
import type { Problem } from '#shared/problem.ts';
import type { CloneRequest } from '#shared/protocol/clone-request.ts';
import type { UploadDescriptor, VoiceRecord } from '#shared/protocol/voice.ts';

/** What making voices needs from a client of the service. */
export interface VoiceApi {
	/** The account in force now. */
	account(): Result<VoiceAccountPort, Problem>;
	credential(): 'voice-token' | 'api-key' | 'none';
}

export interface VoiceAccountPort {
	hash(salt: string): string;
	clone(
		request: CloneRequest,
		signal?: AbortSignal,
	): Promise<Result<VoiceRecord, { readonly problem: Problem; readonly made: 'no' | 'maybe' }>>;
	read(voiceId: string, signal?: AbortSignal): Promise<Result<VoiceRecord, Problem>>;
	remove(voiceId: string, signal?: AbortSignal): Promise<Result<void, Problem>>;
	upload(to: UploadDescriptor, options: SampleUpload): Promise<Result<void, Problem>>;
}

export interface SampleUpload {
	readonly file: {
		readonly path: string;
		readonly bytes: number;
		readonly modifiedMs: number;
		readonly name: string;
		readonly filename: string;
		readonly mimeType: string;
	};
	/** Bytes of the file sent; 0 when a try begins. */
	readonly progress: (sentBytes: number) => void;
	readonly signal: AbortSignal;
}

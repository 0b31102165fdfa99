/** All that is used of the library: what is not named here stays out of the build. */
export {
	ConnectionError,
	ConnectionErrorReason,
	DisconnectReason,
	LocalAudioTrack,
	ParticipantEvent,
	Room,
	setLogLevel,
	Track,
} from 'livekit-client';

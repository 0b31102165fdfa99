/** Everything used from the library: anything not named here stays out of the build. */
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

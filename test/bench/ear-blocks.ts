/**
 * Emulates, from its description, how another interpreter for the same service is built: samples are collected in blocks
 * of 4096, each block is started in a 24 kHz graph as it comes, and the output is published. The voice is
 * taken out of the room in a 24 kHz graph, buffered for 200 ms, and played from a ring buffer through an element.
 */
export const BLOCKS = `<script type="module">
import { Room } from '/livekit.mjs';
const add = (context, body) =>
  context.audioWorklet.addModule(URL.createObjectURL(new Blob([body], { type: 'text/javascript' })));
const COLLECT = \`registerProcessor('collect', class extends AudioWorkletProcessor {
  block = new Float32Array(4096); at = 0;
  process([[channel]]) {
    if (!channel) return true;
    this.block.set(channel, this.at);
    this.at += channel.length;
    if (this.at === 4096) {
      this.port.postMessage(Int16Array.from(this.block, (value) => Math.max(-1, Math.min(1, value)) * 32767));
      this.at = 0;
    }
    return true;
  }
});\`;
const PASS = \`registerProcessor('pass', class extends AudioWorkletProcessor {
  process([[channel]]) { if (channel) this.port.postMessage(channel.slice()); return true; }
});\`;
const RING = \`registerProcessor('ring', class extends AudioWorkletProcessor {
  ring = new Float32Array(24000 * 120); from = 0; to = 0;
  constructor() {
    super();
    this.port.onmessage = ({ data }) => { for (const value of data) this.ring[this.to++ % this.ring.length] = value; };
  }
  process(inputs, [[channel]]) {
    for (let at = 0; at < channel.length && this.from < this.to; at++) channel[at] = this.ring[this.from++ % this.ring.length];
    return true;
  }
});\`;
let room, track, contexts, timer;
async function play(remote) {
  const [from, to] = [new AudioContext({ sampleRate: 24000 }), new AudioContext({ sampleRate: 24000 })];
  contexts.push(from, to);
  await Promise.all([add(from, PASS), add(to, RING)]);
  // Chromium feeds remote sound into a graph only while an element plays it, too; this element is not heard.
  const puller = new Audio();
  puller.muted = true;
  puller.dataset.unheard = '';
  puller.srcObject = new MediaStream([remote]);
  void puller.play();
  const ring = new AudioWorkletNode(to, 'ring', { numberOfInputs: 0, outputChannelCount: [1] });
  const output = to.createMediaStreamDestination();
  ring.connect(output);
  let collected = [], count = 0;
  const flush = () => {
    for (const piece of collected) ring.port.postMessage(piece);
    collected = [];
    count = 0;
  };
  const pass = new AudioWorkletNode(from, 'pass');
  pass.port.onmessage = ({ data }) => {
    collected.push(data);
    count += data.length;
    clearTimeout(timer);
    if (count >= 4800) flush();
    else timer = setTimeout(flush, 100);
  };
  from.createMediaStreamSource(new MediaStream([remote])).connect(pass);
  const element = new Audio();
  element.srcObject = output.stream;
  document.body.append(element, puller);
  await element.play();
}
window.begin = async (url, token) => {
  await window.__ear.arm();
  contexts = [new AudioContext({ sampleRate: 48000 }), new AudioContext({ sampleRate: 24000 })];
  const [capture, sender] = contexts;
  await add(capture, COLLECT);
  track = (await navigator.mediaDevices.getUserMedia({ audio: true })).getAudioTracks()[0];
  const output = sender.createMediaStreamDestination();
  const collect = new AudioWorkletNode(capture, 'collect');
  collect.port.onmessage = ({ data }) => {
    const buffer = sender.createBuffer(1, data.length / 2, 24000);
    const into = buffer.getChannelData(0);
    for (let at = 0; at < into.length; at++) into[at] = (data[2 * at] + data[2 * at + 1]) / 65534;
    const source = sender.createBufferSource();
    source.buffer = buffer;
    source.connect(output);
    source.start();
  };
  capture.createMediaStreamSource(new MediaStream([track])).connect(collect);
  room = new Room();
  room.on('trackSubscribed', (voice) => void play(voice.mediaStreamTrack));
  await room.connect(url, token);
  await room.localParticipant.publishTrack(output.stream.getAudioTracks()[0], {
    source: 'microphone', dtx: false, red: false, audioPreset: { maxBitrate: 32000 },
  });
};
window.end = async () => {
  await room.disconnect();
  track.stop();
  clearTimeout(timer);
  await Promise.all(contexts.map((context) => context.close()));
  document.body.replaceChildren();
};
window.ready = true;
</script>`;

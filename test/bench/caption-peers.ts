/** Pages that show captions in the two simplest ways; `run` resolves when all updates were seen. */
const COMMON = `
const channel = new MessageChannel();
const sleep = (ms) => new Promise((done) => setTimeout(done, ms));
channel.port1.onmessage = ({ data }) => {
  const at = performance.now();
  write(data);
  window.__paint.watch(data.mark, at);
};
window.run = async (count, mark) => {
  for (let n = 0; n < count; n++) {
    channel.port2.postMessage({ mark: '#' + (mark + n) + '#', fresh: n % 5 === 0 });
    await sleep(20 + 40 * Math.random());
  }
  await sleep(300);
  return window.__paint.take();
};
window.ready = true;`;

const TEXT = `what was agreed about the delivery in the spring and who will write the letter`;

/** One text, replaced: the floor. */
export const BARE_TEXT = `<p id="captions"></p><script type="module">
const text = document.getElementById('captions');
window.fill = () => {};
const write = ({ mark }) => { text.textContent = '${TEXT} ' + mark; };
window.__paint.in('#captions');
${COMMON}</script>`;

/** Every row in the document, the last in view: the obvious implementation. */
export const PLAIN_LIST = `<style>
#list { height: 500px; overflow: auto } li { display: grid; grid-template-columns: 1fr 1fr; gap: 8px; font: 20px sans-serif }
</style><ol id="list"></ol><script type="module">
const list = document.getElementById('list');
const add = (text) => {
  list.querySelector(':scope > #last')?.removeAttribute('id');
  const row = document.createElement('li');
  row.id = 'last';
  for (const one of [text, text]) {
    const piece = document.createElement('p');
    piece.textContent = one;
    row.append(piece);
  }
  list.append(row);
};
window.fill = (rows) => {
  while (list.childElementCount < rows) add('${TEXT}');
  list.scrollTop = list.scrollHeight;
};
const write = ({ mark, fresh }) => {
  if (fresh) add('');
  list.lastElementChild.firstElementChild.textContent = '${TEXT} ' + mark;
  list.scrollTop = list.scrollHeight;
};
window.__paint.in('#list > li:last-child');
${COMMON}</script>`;

// Paper to draw a digit on, and its 64 pixels from 0 to 16, in the form of the digits that the network was trained with: they
// fill a box of 32 pixels by 22 at most, and some 310 of its pixels are ink, however thick the pen was.

const side = 8;
const most = 16;
const fine = 32;
const width = 22;
const area = 310;

function draw(context, lines, thickness) {
  context.lineWidth = thickness;
  context.lineCap = context.lineJoin = 'round';
  for (const line of lines) {
    context.beginPath();
    context.moveTo(...line[0]);
    for (const point of line) context.lineTo(...point);
    context.stroke();
  }
}

export class Paper {
  #canvas;
  #changed;
  #strokes = [];

  /** `changed` is called after every stroke. */
  constructor(canvas, changed) {
    this.#canvas = canvas;
    this.#changed = changed;
    canvas.addEventListener('pointerdown', (event) => {
      canvas.setPointerCapture(event.pointerId);
      this.#strokes.push([this.#place(event)]);
      this.#show();
    });
    canvas.addEventListener('pointermove', (event) => {
      if (!canvas.hasPointerCapture(event.pointerId)) return;
      this.#strokes.at(-1).push(this.#place(event));
      this.#show();
    });
  }
  get empty() {
    return this.#strokes.length === 0;
  }
  clear() {
    this.#strokes = [];
    this.#show();
  }
  /** The drawing as 64 numbers. The pen becomes as thick as the training data has it. */
  pixels() {
    let thin = 1.5;
    let thick = 12;
    let ink = [];
    for (let i = 0; i < 8; ++i) {
      const thickness = (thin + thick) / 2;
      ink = this.#ink(thickness);
      if (ink.reduce((sum, x) => sum + x, 0) < area) thin = thickness;
      else thick = thickness;
    }
    const coarse = new Array(side * side).fill(0);
    const block = fine / side;
    ink.forEach((x, i) => { coarse[side * Math.floor(i / fine / block) + Math.floor((i % fine) / block)] += x; });
    return coarse.map((x) => Math.min(Math.round(x), most));
  }

  #place(event) {
    const box = this.#canvas.getBoundingClientRect();
    return [(event.clientX - box.left - this.#canvas.clientLeft) * this.#canvas.width / this.#canvas.clientWidth,
            (event.clientY - box.top - this.#canvas.clientTop) * this.#canvas.height / this.#canvas.clientHeight];
  }
  #show() {
    const context = this.#canvas.getContext('2d');
    context.clearRect(0, 0, this.#canvas.width, this.#canvas.height);
    draw(context, this.#strokes, 18);
    this.#changed();
  }
  /** The ink of the strokes, brought to the box with a pen of some thickness: `fine` by `fine` numbers from 0 to 1. */
  #ink(thickness) {
    const points = this.#strokes.flat();
    const ends = [0, 1].map((axis) => [Math.min(...points.map((p) => p[axis])), Math.max(...points.map((p) => p[axis]))]);
    const [wide, high] = ends.map(([first, last]) => Math.max(last - first, 1));
    const down = (fine - thickness) / high;
    const across = Math.min(down, Math.max(width - thickness, 1) / wide);
    const middle = ends.map(([first, last]) => (first + last) / 2);
    const canvas = document.createElement('canvas');
    canvas.width = canvas.height = fine;
    const context = canvas.getContext('2d', {willReadFrequently: true});
    const moved = this.#strokes.map((line) =>
      line.map(([x, y]) => [fine / 2 + (x - middle[0]) * across, fine / 2 + (y - middle[1]) * down]));
    draw(context, moved, thickness);
    const bytes = context.getImageData(0, 0, fine, fine).data;
    return Array.from({length: fine * fine}, (_, i) => bytes[4 * i + 3] / 255);
  }
}

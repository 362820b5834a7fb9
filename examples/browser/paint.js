// What the page paints: bytes as grey pixels, and scores as bars.

/** Paints a grey pixel for each number. The rest of the last row stays white. */
export function paint(canvas, columns, shades) {
  canvas.width = columns;
  canvas.height = Math.max(1, Math.ceil(shades.length / columns));
  const context = canvas.getContext('2d');
  const image = context.createImageData(canvas.width, canvas.height);
  image.data.fill(255);
  shades.forEach((shade, i) => image.data.fill(shade, 4 * i, 4 * i + 3));
  context.putImageData(image, 0, 0);
}

/** Shows the outputs of one input: {name: {values, texts}}. Numbers get bars. */
export function showOutputs(table, outputs) {
  const body = table.tBodies[0];
  body.replaceChildren();
  for (const [name, {values, texts}] of Object.entries(outputs)) {
    const least = Math.min(...values, 0);
    const most = Math.max(...values);
    values.forEach((value, i) => {
      const row = body.insertRow();
      row.dataset.value = value;
      row.className = values.length > 1 && texts === undefined && value === most ? 'best' : '';
      row.appendChild(document.createElement('th')).textContent = values.length > 1 ? i : name;
      const bar = row.insertCell();
      bar.className = 'bar';
      const width = texts === undefined ? 100 * (value - least) / (most - least || 1) : 0;
      bar.appendChild(document.createElement('div')).style.width = `${width}%`;
      row.insertCell().textContent = texts?.[i] ?? value.toFixed(3);
    });
  }
}

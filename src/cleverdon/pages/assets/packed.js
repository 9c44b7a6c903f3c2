// Long texts are packed by gzip, in the letters of base64. Data are unpacked before the page starts;
// the script that draws, when the first plot is drawn.

const PACKED = "application/gzip";

async function unpack(element) {
  if (element.type !== PACKED) return;
  const packed = Uint8Array.from(atob(element.textContent), (letter) => letter.charCodeAt(0));
  const text = new Blob([packed]).stream().pipeThrough(new DecompressionStream("gzip"));
  element.textContent = await new Response(text).text();
  element.type = "text/plain";
}

if (document.querySelector(`script[type="${PACKED}"]`) && !window.DecompressionStream) {
  document.body.prepend("This page needs a newer browser: Chrome 80, Firefox 113, Safari 16.4.");
}
for (const element of document.querySelectorAll(`script[type="${PACKED}"]:not(#vega)`)) {
  await unpack(element);
}


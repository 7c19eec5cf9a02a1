/**
 * Shows what happens as it happens, by reading the page again a moment after something did.
 *
 * One tab of a browser at most listens to the stream, and tells the others of its namespace: a browser opens six
 * connections to a host, and a page that holds one each would leave none for the seventh. Tabs that nobody tells
 * anything (another namespace, or no locks and so no agreement on who listens) look again by themselves.
 *
 * Nothing moves under the pointer: while it, the focus or a selection is in a section, the lists from there up stay as
 * they are, and a button beside the title says that there is more to see.
 */
export const SCRIPT = `
addEventListener("DOMContentLoaded",()=>{
const NAME="payments-sandbox dashboard",POLL_MS=2000,PAUSE_MS=250;
const {namespace}=document.body.dataset;
const page="/_sandbox/dashboard?namespace="+encodeURIComponent(namespace);
const parts=[...document.querySelectorAll("[data-live]")];
const sections=[...document.querySelectorAll("section")];
const more=(part)=>part.closest("section").querySelector("[data-more]");
let fresh=null;
const isHeld=(section)=>{
if(section.matches(":hover"))return true;
const {activeElement}=document,selection=getSelection();
return section.contains(activeElement)&&!parts.includes(activeElement)||
!!selection&&!selection.isCollapsed&&section.contains(selection.anchorNode)};
const show=(wanted)=>{
if(!fresh)return;
const held=wanted?-1:sections.findLastIndex(isHeld);
for(const part of parts){
const next=fresh.getElementById(part.id),button=more(part);
if(!next||next.innerHTML===part.innerHTML){if(button)button.hidden=true;continue}
if(button&&sections.indexOf(part.closest("section"))<=held){button.hidden=false;continue}
part.innerHTML=next.innerHTML;
if(button)button.hidden=true}};
let due=0;
const refresh=async()=>{due=0;
const response=await fetch(page,{headers:{accept:"text/html"}});
if(!response.ok)return;
const next=new DOMParser().parseFromString(await response.text(),"text/html");
if(next.body.dataset.namespace!==namespace)return;
fresh=next;show(false)};
const soon=()=>{if(!due)due=setTimeout(()=>refresh().catch(()=>{}),PAUSE_MS)};
const later=()=>setTimeout(()=>show(false));
for(const section of sections)for(const name of ["pointerleave","focusout"])section.addEventListener(name,later);
document.addEventListener("selectionchange",later);
for(const button of document.querySelectorAll("[data-more]"))button.addEventListener("click",()=>show(true));
let isTold=false;
const channel=new BroadcastChannel(NAME);
const listen=()=>new Promise(()=>{
isTold=true;
const source=new EventSource("/_sandbox/stream?namespace="+encodeURIComponent(namespace));
channel.postMessage({serves:namespace});
channel.onmessage=({data})=>{if(data.asks===namespace)channel.postMessage({serves:namespace})};
const news=()=>{channel.postMessage({news:namespace});soon()};
for(const name of ["open","charge","event","delivery","request","clock","missed"])source.addEventListener(name,news)});
channel.onmessage=({data})=>{
if(data.serves)isTold=data.serves===namespace;
if(data.news===namespace)soon()};
channel.postMessage({asks:namespace});
if(navigator.locks)navigator.locks.request(NAME,listen);
setInterval(()=>{if(!isTold&&document.visibilityState==="visible")soon()},POLL_MS)});
`;

"""What `list`, `show`, `hint` and `reset` need of exercises.json, read without the judge: they work before it is built.

Only what these commands use is looked at. The judge checks the whole file against its schema when it judges.
"""

import json
from pathlib import Path
from typing import Any, Dict, Iterator, List, Optional


class CourseError(ValueError):
    """exercises.json cannot be used; the message says what is wrong with it."""


class Exercise:
    def __init__(self, root: Path, content: Dict[str, Any]):
        self.id: int = content["id"]
        self.slug: str = content["slug"]
        self.chapter: str = content["chapter"]
        self.level: str = content["level"]
        self.title: Dict[str, str] = content["title"]
        self.hints: List[Dict[str, str]] = content.get("hints", [])
        if not isinstance(self.id, int) or not isinstance(self.slug, str) or not isinstance(self.chapter, str):
            raise TypeError("an id must be a number, a slug and a chapter must be texts")
        if not all(isinstance(text, dict) for text in [self.title, *self.hints]):
            raise TypeError("titles and hints must be objects with a text per language")
        self.folder_name = f"{self.id:03d}_{self.slug}"
        self.folder = root / "practice" / self.folder_name
        self.file = self.folder / (self.slug + ".cu")  # what the student edits
        self.pristine = root / "reference" / self.folder_name / "stub.cu"

    def statement(self, lang: str) -> Path:
        translated = self.folder / f"statement.{lang}.md"
        return translated if lang != "en" and translated.is_file() else self.folder / "statement.md"


class Course:
    def __init__(self, root: Path):
        path = root / "exercises.json"
        try:
            content = json.loads(path.read_text(encoding="utf-8"))
            self.exercises = sorted((Exercise(root, e) for e in content["exercises"]), key=lambda e: e.id)
            self._chapters: Dict[str, Dict[str, str]] = {c["slug"]: c["title"] for c in content.get("chapters", [])}
        except OSError as error:
            raise CourseError(f"{path} cannot be read: {error.strerror}") from error
        except KeyError as error:
            raise CourseError(f"{path}: {error.args[0]!r} is missing in an exercise or a chapter") from error
        except (ValueError, TypeError, AttributeError) as error:
            raise CourseError(f"{path}: {error}") from error

    def __len__(self) -> int:
        return len(self.exercises)

    def __iter__(self) -> Iterator[Exercise]:
        return iter(self.exercises)

    def find(self, name: str) -> Optional[Exercise]:
        number = int(name) if name.isascii() and name.isdigit() else None
        for exercise in self.exercises:
            if exercise.id == number if number is not None else name in (exercise.slug, exercise.folder_name):
                return exercise
        return None

    def chapter_title(self, slug: str) -> Dict[str, str]:
        return self._chapters.get(slug, {"en": slug})
